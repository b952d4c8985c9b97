import type { CommandResult, ResourceDocument, Task } from '@stave/contracts';
import { keyToken, ringKey, slotOf, SLOTS } from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import type { TaskKind } from '@stave/driver-sdk';
import { EmbeddedEventStore } from '@stave/platform';
import { eventually } from '@stave/platform/testing';
import {
  clusterCreated,
  conductorJoined,
  DRIVER,
  groupSpec,
  PROJECT,
  ServiceHarness,
  SESSION,
  taskDone,
} from '@stave/service-kit/testing';
import { v7 as uuidv7 } from 'uuid';
import { createContainerScheduler } from './app.module.js';

const KEY = ringKey('', DRIVER.name, 'group');
const RETRY_MS = 20;
const LABELS = { tier: 'gold' };
const FLAVOR = { cpus: 4, memoryMb: 8000 };

/** container-scheduler, with the cluster `alpha` that has a node group without nodes, and a conductor that the test plays. */
export class SchedulerHarness extends ServiceHarness {
  clusterId = '';
  groupId = '';

  /** `manifest`: that of the driver `fake`, as the conductor offers it. */
  static async open(manifest: Readonly<Record<string, unknown>> = {}): Promise<SchedulerHarness> {
    const harness = new SchedulerHarness(await EmbeddedEventStore.open({ memory: true }), {
      service: 'container-scheduler',
      start: ports => createContainerScheduler(ports, { retryMs: RETRY_MS }),
    });
    await harness.replica();
    await harness.append('conductorRing', conductorJoined(manifest));
    harness.clusterId = await harness.cluster('alpha');
    harness.groupId = await harness.group(harness.clusterId);
    return harness;
  }

  async cluster(name: string): Promise<string> {
    const id = uuidv7();
    await this.append(`cluster-${id}`, clusterCreated({ id, name, options: { site: 'x' } }));
    return id;
  }

  async group(clusterId: string): Promise<string> {
    const id = uuidv7();
    const spec = { ...groupSpec(1), flavor: FLAVOR, labels: LABELS };
    const data = { id, clusterId, projectId: PROJECT, name: 'workers', spec, operationId: 'n-1' };
    await this.append(`nodeGroup-${id}`, { type: 'NodeGroupCreated', data });
    return id;
  }

  /** Creates a node that is ready, with 4 CPUs and 8,000 MB; default: in the cluster `alpha`. */
  async node(name: string, clusterId = this.clusterId, nodeGroupId = this.groupId): Promise<string> {
    const id = uuidv7();
    const spec = { role: 'worker', flavor: FLAVOR, labels: LABELS, taints: [], options: {} };
    const place = { nodeGroupId, clusterId, projectId: PROJECT, groupName: 'workers', ordinal: 0 };
    const data = { id, name, ...place, spec, operationId: 'n-1' };
    await this.append(`node-${id}`, { type: 'NodeDeclared', data });
    await this.nodeBuilt(id);
    return id;
  }

  /** Completes the task that builds the node. */
  async nodeBuilt(id: string, kind: TaskKind = 'node.create', generation = 1): Promise<void> {
    const active = { type: 'NodeBecameActive', data: { nodeGroupId: 'g' } };
    await this.append(`node-${id}`, ...taskDone(id, kind, generation, { capacity: FLAVOR }), active);
  }

  async claim(version: string = DRIVER.version): Promise<readonly Task[]> {
    const slots = Array.from({ length: SLOTS }, (_, i) => i);
    const holdings = [{ key: KEY, version, slots }];
    const request = { conductor: 'one', session: SESSION, epoch: 0, holdings, max: 100 };
    return (await this.first.ask<{ tasks: readonly Task[] }>('task', 'claim', request)).tasks;
  }

  async report({ taskId, resource, attempt }: Task, outcome: object): Promise<void> {
    const request = { taskId, resource, attempt, conductor: 'one', session: SESSION, outcome };
    await this.first.ask('task', 'report', request);
  }

  /** Claims and completes the tasks that there are. */
  async completeAll(): Promise<void> {
    for (const task of await this.claim()) await this.report(task, doneOf(task.kind));
  }

  /** Claims and completes tasks until one of this kind was completed. */
  async completeTask(kind: string): Promise<Task> {
    return eventually(async () => {
      const tasks = await this.claim();
      for (const task of tasks) await this.report(task, doneOf(task.kind));
      return tasks.find(task => task.kind === kind);
    }, `a task ${kind}`);
  }

  /** Creates the profile `nginx` for the cluster `alpha`, with 1 CPU and 500 MB. */
  createProfile(body: object = {}): Promise<CommandResult> {
    const profile = { name: 'nginx', image: 'nginx:1', resources: { cpus: 1, memoryMb: 500 }, hostCluster: 'alpha' };
    return this.first.ask('container-profile', 'create', { ...profile, ...body });
  }

  /** Creates a container of the profile `nginx`. */
  createContainer(body: object = {}, meta: object = {}): Promise<CommandResult> {
    return this.first.ask('container', 'create', { profile: 'nginx', ...body }, meta);
  }

  container(id: string): Promise<ResourceDocument> {
    return this.first.ask('container', 'get', { id });
  }

  containerIs(id: string, status: string): Promise<ResourceDocument> {
    return eventually(async () => {
      const document = await this.container(id);
      return document['status'] === status ? document : undefined;
    }, `${id} is ${status}`);
  }

  /** Resolves when the container is not found any more. */
  containerIsDeleted(id: string): Promise<boolean> {
    const isMissing = (error: { readonly error: { readonly kind: string } }): boolean =>
      error.error.kind === 'not-found';
    return eventually(() => this.container(id).then(() => false, isMissing), `${id} is deleted`);
  }

  /** Resolves to the first event of this type in the placement stream of the cluster `alpha`. */
  placementEvent(type: string): Promise<unknown> {
    return eventually(async () => (await this.events(`placement-${this.clusterId}`, type))[0]?.data, type);
  }

  callSubject(containerId: string): string {
    return `stave.call.${keyToken(KEY)}.${slotOf(containerId)}`;
  }
}
