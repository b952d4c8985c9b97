import { commandSubject, RefusedError, type RequestMeta, type ServiceReply } from '@stave/contracts';
import { decideClaim, eviction, nodeStream, reportNodeTask, stableId, type DomainEvent } from '@stave/domain';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type RecordedEvent,
} from '@stave/platform';
import { newEvents, ResourceModel, type RunningService } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { createNodeGroupService } from './create-nodegroup-service.js';

export const PROJECT = 'p1';
const SESSION = 'session-1';
const AT = '2026-01-01T00:00:00.000Z';

export interface Replica {
  readonly documents: MemoryDocumentStore;
  readonly messaging: MemoryMessaging;
  stop(): Promise<void>;
}

export const groupSpec = (count: number): Record<string, unknown> => ({
  role: 'worker',
  count,
  minCount: 0,
  flavor: { cpus: 1, memoryMb: 512 },
  zones: [],
  labels: {},
  taints: [],
  conductorGroup: null,
  options: {},
});

/** nodegroup-service on one log in memory; clusters, containers and conductors are what the test appends. */
export class World {
  private readonly replicas: Replica[] = [];

  private constructor(readonly store: EmbeddedEventStore) {}

  static async open(manifest: Readonly<Record<string, unknown>> = {}): Promise<World> {
    const world = new World(await EmbeddedEventStore.open({ memory: true }));
    const drivers = [{ name: 'fake', version: '1.0.0', manifest }];
    const data = { conductor: 'one', session: SESSION, group: '', drivers, weight: 1, release: '1', keyMode: 'group' };
    await world.append('conductorRing', { type: 'ConductorJoined', data: { ...data, kind: 'conductor' } });
    return world;
  }

  /** A replica with messaging of its own: it believes that it leads, whatever others believe. */
  async replica(documents?: MemoryDocumentStore): Promise<Replica> {
    const documentStore = documents ?? (await MemoryDocumentStore.open());
    const broker = new MemoryBroker();
    const serviceMessaging = new MemoryMessaging(broker);
    const messaging = new MemoryMessaging(broker);
    const log = createLogger('nodegroup-service', 'silent');
    const service: RunningService = await createNodeGroupService({
      eventStore: this.store,
      documentStore,
      messaging: serviceMessaging,
      log,
    });
    const replica: Replica = {
      documents: documentStore,
      messaging,
      stop: async () => {
        this.replicas.splice(this.replicas.indexOf(replica), 1);
        await service.close();
        await messaging.close();
        await serviceMessaging.close();
      },
    };
    this.replicas.push(replica);
    return replica;
  }

  async close(): Promise<void> {
    for (const replica of [...this.replicas]) await replica.stop();
    await this.store.close();
  }

  async append(stream: string, ...events: readonly DomainEvent[]): Promise<void> {
    const after = (await this.store.readStream(stream)).length - 1;
    const context = { correlationId: uuidv7(), project: PROJECT };
    await this.store.append(stream, newEvents(stream, after, events, context, AT), after < 0 ? 'no_stream' : after);
  }

  async all(type?: string): Promise<readonly RecordedEvent[]> {
    const events = await this.store.readAll({ limit: 100_000 });
    return events.filter(e => type === undefined || e.type === type);
  }

  async cluster(groups: Readonly<Record<string, number>>, built = true): Promise<{ id: string; groupIds: string[] }> {
    const id = uuidv7();
    const network = { network: {}, api: {}, labels: {}, defaults: {}, options: {} };
    const spec = { driver: 'fake', driverVersion: '1.0.0', conductorGroup: '', ...network };
    const roleOf = (name: string): string => (name === 'managers' ? 'manager' : 'worker');
    const first = Object.entries(groups).map(([name, count]) => ({
      id: uuidv7(),
      name,
      spec: { ...groupSpec(count), role: roleOf(name) },
    }));
    const operation = { id: `c-${uuidv7()}`, kind: 'cluster.create', total: 1 };
    const data = { id, name: 'alpha', projectId: PROJECT, spec, groups: first, operation };
    await this.append(`cluster-${id}`, { type: 'ClusterCreated', data });
    if (built) await this.built(id);
    return { id, groupIds: first.map(g => g.id) };
  }

  private async built(id: string): Promise<void> {
    const task = { taskId: stableId(id, 'cluster.create', 1), kind: 'cluster.create', generation: 1, attempt: 1 };
    await this.append(
      `cluster-${id}`,
      { type: 'TaskClaimed', data: { ...task, conductor: 'one', session: SESSION, epoch: 0 } },
      { type: 'TaskCompleted', data: { ...task, result: {} } },
    );
  }

  async deleteCluster(id: string): Promise<void> {
    const operation = { id: `c-${uuidv7()}`, kind: 'cluster.delete', total: 1 };
    await this.append(`cluster-${id}`, { type: 'ClusterDeletionRequested', data: { operation } });
  }

  /** One round of what conductors and the scheduler do: evict, claim, report done. */
  async workOnce(): Promise<void> {
    const nodes = new ResourceModel(nodeStream, this.store);
    const context = { correlationId: 'work', project: PROJECT };
    const result = { infrastructureId: 'i', addresses: [], capacity: { cpus: 1, memoryMb: 512 } };
    for (const { stream } of await this.all('NodeDeclared')) {
      const id = stream.slice('node-'.length);
      const { state } = await nodes.load(id);
      if (eviction(state) !== undefined) await this.evict(state.declared?.clusterId ?? '', id, state.revision);
      const taskId = state.work.wanted?.taskId;
      if (taskId === undefined || state.deleted) continue;
      const holder = { taskId, conductor: 'one', session: SESSION };
      const claim = { ...holder, epoch: 0, now: AT, isLive: () => true };
      const attempt =
        (await nodes.execute(id, s => decideClaim(claim, s.work), context)).state.work.claim?.attempt ?? 0;
      await nodes.execute(
        id,
        s => reportNodeTask({ ...holder, attempt, outcome: { type: 'done', result } }, s),
        context,
      );
    }
  }

  private async evict(clusterId: string, nodeId: string, nodeRevision: number): Promise<void> {
    const known = await this.store.readStream(`placement-${clusterId}`);
    const told = { nodeId, nodeRevision };
    if (known.some(e => JSON.stringify(e.data) === JSON.stringify(told))) return;
    await this.append(`placement-${clusterId}`, { type: 'NodeEvictionCompleted', data: told });
  }

  async ask<D>(
    replica: Replica,
    resource: string,
    verb: string,
    body: object,
    meta: Partial<RequestMeta> = {},
  ): Promise<D> {
    const request: RequestMeta = {
      correlationId: uuidv7(),
      actor: { keyId: 'k', role: 'member', project: PROJECT },
      ...meta,
    };
    const subject = commandSubject('nodegroup-service', resource, verb);
    const reply = (await replica.messaging.request(
      subject,
      { meta: request, body },
      { timeoutMs: 5_000 },
    )) as ServiceReply<D>;
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.data;
  }
}
