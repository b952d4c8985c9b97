import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterSpec, ContainerSpec, Driver, NodeSpec, ResourceRef } from '@stave/driver-sdk';
import {
  aClusterSpec,
  aContainerSpec,
  aDriverContext,
  aNodeSpec,
  describeOn,
  silentLogger,
} from '@stave/driver-sdk/testing';
import {
  type ContainerSummary,
  EngineClient,
  label,
  type NetworkSummary,
  type VolumeSummary,
  withLabels,
} from '@stave/docker';
import { ensureBusyboxImage } from './busybox-image.js';
import { dockerMissing, hostSocket } from '@stave/docker/testing';
import swarmDocker from '../index.js';

/** Builds the specification of the cluster in which all suites create their nodes. */
export const clusterSpec = (overrides: Partial<ClusterSpec> = {}): ClusterSpec =>
  aClusterSpec({ id: 'cluster-1', ...overrides });

/** Builds the specification of a worker of that cluster. */
export const nodeSpec = (id: string, overrides: Partial<NodeSpec> = {}): NodeSpec =>
  aNodeSpec({
    id,
    name: id,
    cluster: clusterSpec(),
    nodeGroup: { id: 'group-w', name: 'workers' },
    flavor: { name: 'small', cpus: 0.5, memoryMb: 384 },
    zone: 'az1',
    ...overrides,
  });

/** Builds the specification of a manager of that cluster. */
export const managerSpec = (id: string, overrides: Partial<NodeSpec> = {}): NodeSpec =>
  nodeSpec(id, { role: 'manager', nodeGroup: { id: 'group-m', name: 'managers' }, ...overrides });

/** Builds the specification of a container that sleeps. */
export const containerSpec = (id: string, nodeId: string, overrides: Partial<ContainerSpec> = {}): ContainerSpec =>
  aContainerSpec({
    id,
    name: id,
    clusterId: 'cluster-1',
    nodeId,
    image: 'stave/busybox:1',
    command: ['sleep', '1000'],
    resources: { cpus: 0.1, memoryMb: 32 },
    ...overrides,
  });

/** Refers to a resource of that cluster by its id. */
export const ref = (id: string, generation = 1): ResourceRef => ({
  id,
  clusterId: 'cluster-1',
  generation,
  options: {},
});

/** An open driver on this machine's engine, with an installation and a run directory of its own. */
export class RealEngine {
  /** The warnings that the driver logged. */
  readonly warnings: string[] = [];
  readonly ctx = aDriverContext({
    log: {
      ...silentLogger,
      warn: (fields, message) => void this.warnings.push(`${message} ${JSON.stringify(fields)}`),
    },
  });

  private constructor(
    readonly driver: Driver,
    readonly host: EngineClient,
    readonly installation: string,
    readonly runDir: string,
  ) {}

  static async open(): Promise<RealEngine> {
    const runDir = await mkdtemp(join(tmpdir(), 'stave-'));
    const installation = `test-${process.pid}-${runDir.slice(-6)}`;
    const driver = await openDriver(installation, runDir);
    const host = new EngineClient(hostSocket);
    await ensureBusyboxImage(aDriverContext(), host);
    return new RealEngine(driver, host, installation, runDir);
  }

  /** Opens another driver for the same installation, as after a restart. */
  reopen(): Promise<Driver> {
    return openDriver(this.installation, this.runDir);
  }

  /** Returns the names of all objects with the installation's labels, and the entries of the run directory. */
  async leftovers(): Promise<string[]> {
    const query = { all: true, ...withLabels({ [label.installation]: this.installation }) };
    const [containers, networks, volumes, directories] = await Promise.all([
      this.host.read<ContainerSummary[]>(this.ctx, '/containers/json', { query }),
      this.host.read<NetworkSummary[]>(this.ctx, '/networks', { query }),
      this.host.read<{ Volumes: VolumeSummary[] | null }>(this.ctx, '/volumes', { query }),
      readdir(this.runDir),
    ]);
    const volumeNames = (volumes.Volumes ?? []).map(volume => volume.Name);
    return [
      ...containers.flatMap(one => one.Names),
      ...networks.map(one => one.Name),
      ...volumeNames,
      ...directories,
    ].sort();
  }

  /** Removes all units of the installation. */
  async clear(): Promise<void> {
    for (const kind of ['container', 'node', 'cluster']) {
      for (const unit of await this.driver.list(this.ctx))
        if (unit.kind === kind) await this.driver.remove(this.ctx, unit);
    }
  }

  /** Removes the node containers without a handover among managers, and then all other units. */
  async discard(): Promise<void> {
    const query = { all: true, ...withLabels({ [label.installation]: this.installation }) };
    const containers = await this.host.read<ContainerSummary[]>(this.ctx, '/containers/json', { query });
    for (const { Id } of containers)
      await this.host.change(this.ctx, 'DELETE', `/containers/${Id}`, { query: { force: true, v: true } });
    await this.clear();
    this.warnings.length = 0;
  }

  async close(): Promise<void> {
    await this.discard();
    await this.driver.close();
    await rm(this.runDir, { recursive: true, force: true });
  }
}

function openDriver(installation: string, runDir: string): Promise<Driver> {
  const env = { ...process.env, SWARM_DOCKER_RUN_DIR: runDir };
  return swarmDocker.open({ installation, dataDir: runDir, env, log: silentLogger });
}

/**
 * Describes a suite on this machine's Docker Engine, which `describeOn` skips on a machine without one. Opens the driver before the tests,
 * and removes all its units after them.
 */
export function describeOnEngine(name: string, suite: (engine: () => RealEngine) => void): void {
  describeOn(dockerMissing(), name, () => {
    jest.setTimeout(120_000);
    let real: RealEngine | undefined;
    beforeAll(async () => void (real = await RealEngine.open()));
    afterAll(() => real?.close());
    suite(() => {
      if (!real) throw new Error('the driver is not open');
      return real;
    });
  });
}
