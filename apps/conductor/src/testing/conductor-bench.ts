import type { Task, TaskEnvelope } from '@stave/contracts';
import type { Holding } from '@stave/domain';
import type { ClusterSpec, ContainerSpec, NodeSpec, UnitKind } from '@stave/driver-sdk';
import { MemoryMessaging } from '@stave/platform';
import pino from 'pino';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { Conductor } from '../conductor.js';
import { ConductorContext } from '../conductor.context.js';
import { defaultLimits, defaultTimes, type ConductorTimes } from '../config/conductor.settings.js';
import { conductorApplication, type ConductorOptions } from '../create-conductor.js';
import { DriverPool } from '../drivers/driver-pool.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import type { SlotTable } from '../ring/slot-table.js';
import { systemClock } from '../time/clock.js';
import { ScriptedDriver } from './scripted-driver.js';
import { ScriptedServices } from './scripted-services.js';
import { ShiftableClock } from './shiftable-clock.js';

const quick: Partial<ConductorTimes> = {
  requestTimeoutMs: 60,
  hintDebounceMs: 1,
  claimPollMs: 25,
  progressIntervalMs: 10,
  abortGraceMs: 200,
  sweepPeriodMs: 30,
  goneGraceMs: 40,
  neverGraceMs: 120,
  healthPeriodMs: 20,
  usagePeriodMs: 20,
  lostAfterMs: 40,
  silentAfterMs: 120,
  stopGraceMs: 100,
  retry: { baseMs: 5, maxMs: 40 },
};

/** The context of a conductor for tests of one class. */
export const aContext = (times: Partial<ConductorTimes> = {}): ConductorContext =>
  new ConductorContext(
    { id: 'conductor-1', group: '', weight: 1, keyMode: 'group', release: '0.1.0' },
    { ...defaultTimes, ...times },
    defaultLimits,
    systemClock,
    pino({ level: 'silent' }),
  );

/** Conductors with scripted services and a scripted driver in one process. */
export class ConductorBench {
  readonly messaging = new MemoryMessaging();
  readonly services = new ScriptedServices(this.messaging);
  readonly driver = new ScriptedDriver();
  readonly clock = new ShiftableClock();
  private readonly applications = new Map<Conductor, INestApplicationContext>();

  async conductor(options: Partial<ConductorOptions> = {}): Promise<Conductor> {
    const application = await conductorApplication({
      id: `conductor-${this.applications.size + 1}`,
      group: '',
      weight: 1,
      keyMode: 'group',
      release: '0.1.0',
      messaging: this.messaging,
      drivers: [this.driver.loaded()],
      dataDir: 'unused',
      env: {},
      log: pino({ level: 'silent' }),
      clock: this.clock,
      ...options,
      times: { ...quick, ...options.times },
    });
    const conductor = application.get(Conductor);
    this.applications.set(conductor, application);
    return conductor;
  }

  tableOf(conductor: Conductor): SlotTable {
    return this.part(conductor, SlotTableClient).current;
  }

  openDriversOf(conductor: Conductor): readonly string[] {
    return this.part(conductor, DriverPool).all.map(({ manifest }) => manifest.name);
  }

  async close(): Promise<void> {
    const conductors = [...this.applications.keys()];
    for (const conductor of conductors) conductor.kill();
    await Promise.all(conductors.map(conductor => conductor.stopped()));
    await this.services.stop();
    await this.messaging.close();
  }

  private part<T>(conductor: Conductor, type: Type<T>): T {
    const application = this.applications.get(conductor);
    if (!application) throw new Error(`${conductor.id} is of another bench`);
    return application.get(type);
  }
}

export function aHolding(slots: readonly number[] = [1, 2, 3], driver = 'scripted', version = '1.0.0'): Holding {
  return { key: `:${driver}`, token: `token-of-${driver}`, driver, version, slots };
}

/** A `node.create` task for the scripted driver. */
export function aTask(id: string, more: Partial<Task<'node.create'>> = {}): Task {
  return { ...envelope('node', id), kind: 'node.create', spec: nodeSpec(id), ...more };
}

export function aClusterTask(id: string, more: Partial<Task<'cluster.create'>> = {}): Task {
  return { ...envelope('cluster', id), kind: 'cluster.create', spec: clusterSpec(id), ...more };
}

export function aContainerTask(id: string, spec: Partial<ContainerSpec> = {}): Task {
  const own = { name: id, clusterId: 'cluster-1', nodeId: 'n1', generation: 1, image: 'i', env: {}, resources: {} };
  const none = { volumes: [], ports: [], restartPolicy: 'no', labels: {} } as const;
  return { ...envelope('container', id), kind: 'container.create', spec: { id, ...own, ...none, ...spec } };
}

export const clusterSpec = (id: string): ClusterSpec => ({
  id,
  name: id,
  projectId: 'p1',
  generation: 1,
  network: {},
  api: {},
  labels: {},
  options: {},
});

export const nodeSpec = (id: string, clusterId = 'cluster-1'): NodeSpec => ({
  id,
  name: id,
  ordinal: 0,
  generation: 1,
  cluster: clusterSpec(clusterId),
  nodeGroup: { id: 'g1', name: 'workers' },
  role: 'worker',
  flavor: { cpus: 1, memoryMb: 512 },
  labels: {},
  taints: [],
  options: {},
});

const envelope = (type: UnitKind, id: string): TaskEnvelope => ({
  taskId: `task-of-${id}`,
  resource: { type, id, generation: 1 },
  attempt: 1,
  operationId: 'operation-1',
  clusterId: 'cluster-1',
  projectId: 'p1',
  driver: { name: 'scripted', version: '1.0.0' },
  timeoutMs: 10_000,
});
