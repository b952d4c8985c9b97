import { commandSubject, RefusedError, type RequestMeta, type ServiceReply, type Task } from '@stave/contracts';
import { keyToken, ringKey, slotOf, SLOTS, stableId, type DomainEvent } from '@stave/domain';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type RecordedEvent,
} from '@stave/platform';
import { newEvents, type RunningService } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { eventually } from '@stave/platform/testing';
import { createContainerScheduler } from './create-container-scheduler.js';

const DRIVER = { name: 'fake', version: '1.0.0' };
const KEY = ringKey('', DRIVER.name, 'group');
const PROJECT = 'p1';

/** One scheduler on stores in memory, with clusters made by events and a conductor that does as the test says. */
export class World {
  readonly session = 'session-1';
  private readonly broker = new MemoryBroker();
  readonly messaging = new MemoryMessaging(this.broker);
  private readonly serviceMessaging = new MemoryMessaging(this.broker);
  private readonly services: RunningService[] = [];

  private constructor(readonly store: EmbeddedEventStore) {}

  static async start(): Promise<World> {
    const world = new World(await EmbeddedEventStore.open({ memory: true }));
    await world.replica(world.serviceMessaging);
    return world;
  }

  /** One more scheduler on the same log; on messaging of its own it believes that it leads. */
  async replica(messaging = new MemoryMessaging()): Promise<void> {
    const ports = {
      eventStore: this.store,
      documentStore: await MemoryDocumentStore.open(),
      messaging,
      log: createLogger('container-scheduler', 'silent'),
    };
    this.services.push(await createContainerScheduler(ports, { retryMs: 20 }));
  }

  /** The first scheduler ends. */
  async stopFirst(): Promise<void> {
    await this.services.shift()?.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.services.map(service => service.close()));
    await this.messaging.close();
    await this.serviceMessaging.close();
    await this.store.close();
  }

  async append(stream: string, ...events: DomainEvent[]): Promise<void> {
    const after = (await this.store.readStream(stream)).length - 1;
    const fresh = newEvents(
      stream,
      after,
      events,
      { correlationId: uuidv7(), project: PROJECT },
      new Date().toISOString(),
    );
    await this.store.append(stream, fresh, 'any');
  }

  async events(stream: string, type?: string): Promise<readonly RecordedEvent[]> {
    return (await this.store.readStream(stream)).filter(e => type === undefined || e.type === type);
  }

  async cluster(name = 'alpha', projectId = PROJECT): Promise<string> {
    const id = uuidv7();
    const spec = {
      driver: DRIVER.name,
      driverVersion: DRIVER.version,
      conductorGroup: '',
      network: {},
      api: {},
      labels: {},
      defaults: {},
      options: { site: 'x' },
    };
    const operation = { id: `c-${uuidv7()}`, kind: 'cluster.create', total: 1 };
    await this.append(`cluster-${id}`, {
      type: 'ClusterCreated',
      data: { id, name, projectId, spec, groups: [], operation },
    });
    return id;
  }

  async group(clusterId: string): Promise<string> {
    const id = uuidv7();
    const spec = {
      role: 'worker',
      count: 1,
      minCount: 0,
      flavor: { cpus: 4, memoryMb: 8000 },
      zones: [],
      labels: { tier: 'gold' },
      taints: [],
      conductorGroup: null,
      options: {},
    };
    const data = { id, clusterId, projectId: PROJECT, name: 'workers', spec, operationId: 'n-1' };
    await this.append(`nodeGroup-${id}`, { type: 'NodeGroupCreated', data });
    return id;
  }

  /** A node that is built and ready, with 4 CPUs and 8,000 MB. */
  async node(clusterId: string, groupId: string, name: string): Promise<string> {
    const id = uuidv7();
    const spec = {
      role: 'worker',
      flavor: { cpus: 4, memoryMb: 8000 },
      labels: { tier: 'gold' },
      taints: [],
      options: {},
    };
    const declared = {
      id,
      nodeGroupId: groupId,
      clusterId,
      projectId: PROJECT,
      name,
      groupName: 'workers',
      ordinal: 0,
      spec,
      operationId: 'n-1',
    };
    await this.append(`node-${id}`, { type: 'NodeDeclared', data: declared });
    await this.built(id);
    return id;
  }

  /** The conductor's result for the node's first task, or for a later one that builds it. */
  async built(id: string, kind = 'node.create', generation = 1): Promise<void> {
    const taskId = stableId(id, kind, generation);
    const task = { taskId, kind, generation, attempt: 1 };
    const capacity = { cpus: 4, memoryMb: 8000 };
    await this.append(
      `node-${id}`,
      { type: 'TaskClaimed', data: { ...task, conductor: 'c', session: 's', epoch: 0 } },
      {
        type: 'TaskCompleted',
        data: { ...task, result: { infrastructureId: 'i', addresses: ['10.0.0.1'], capacity } },
      },
      { type: 'NodeBecameActive', data: { nodeGroupId: 'g' } },
    );
  }

  async conductor(): Promise<void> {
    const drivers = [{ ...DRIVER, manifest: {} }];
    const data = {
      conductor: 'one',
      session: this.session,
      group: '',
      drivers,
      weight: 1,
      release: '1',
      keyMode: 'group',
    };
    await this.append('conductorRing', { type: 'ConductorJoined', data: { ...data, kind: 'conductor' } });
  }

  async ask<D = Record<string, never>>(
    resource: string,
    verb: string,
    body: object,
    meta: Partial<RequestMeta> = {},
  ): Promise<D & { readonly position?: number }> {
    const request: RequestMeta = {
      correlationId: uuidv7(),
      actor: { keyId: 'k', role: 'member', project: PROJECT },
      ...meta,
    };
    const subject = commandSubject('container-scheduler', resource, verb);
    const reply = (await this.messaging.request(
      subject,
      { meta: request, body },
      { timeoutMs: 5_000 },
    )) as ServiceReply<D>;
    if (!reply.ok) throw new RefusedError(reply.error);
    return { ...reply.data, ...(reply.position === undefined ? {} : { position: reply.position }) };
  }

  async claim(): Promise<readonly Task[]> {
    const slots = Array.from({ length: SLOTS }, (_, i) => i);
    const holdings = [{ key: KEY, version: DRIVER.version, slots }];
    const request = { conductor: 'one', session: this.session, epoch: 0, holdings, max: 100 };
    return (await this.ask<{ tasks: readonly Task[] }>('task', 'claim', request)).tasks;
  }

  async report(task: Task, outcome: object): Promise<string> {
    const { taskId, resource, attempt } = task;
    const request = { taskId, resource, attempt, conductor: 'one', session: this.session, outcome };
    return (await this.ask<{ status: string }>('task', 'report', request)).status;
  }

  /** Claims until there is a task of this kind, and does all that were handed out. */
  async doTask(kind: string): Promise<Task> {
    return eventually(async () => {
      const tasks = await this.claim();
      for (const task of tasks) await this.report(task, { type: 'done', result: resultOf(task) });
      return tasks.find(task => task.kind === kind);
    }, `a task ${kind}`);
  }

  callSubject(containerId: string): string {
    return `stave.call.${keyToken(KEY)}.${slotOf(containerId)}`;
  }
}

function resultOf(task: Task): object {
  return task.kind === 'container.create' ? { infrastructureId: 'unit-1', address: '10.1.0.9' } : {};
}
