import { commandSubject, RefusedError, type RequestMeta, type ServiceReply } from '@stave/contracts';
import { stableId, type ClusterCreated, type DomainEvent } from '@stave/domain';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type RecordedEvent,
} from '@stave/platform';
import { newEvents, type ServicePorts } from '@stave/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { createClusterService } from '../app.module.js';

export const PROJECT = 'p1';
const AT = '2026-01-01T00:00:00.000Z';
const HOUR_MS = 3_600_000;

export interface Replica {
  readonly messaging: MemoryMessaging;
  stop(): Promise<void>;
}

/** Replicas of cluster-service on one log in memory; the test appends the events of conductors and node groups. */
export class ClustersHarness {
  private readonly replicas: Replica[] = [];

  private constructor(readonly store: EmbeddedEventStore) {}

  /** `manifest`: that of the driver `fake`, as the conductor offers it. */
  static async open(manifest: Readonly<Record<string, unknown>> = {}): Promise<ClustersHarness> {
    const harness = new ClustersHarness(await EmbeddedEventStore.open({ memory: true }));
    const drivers = [{ name: 'fake', version: '1.0.0', manifest }];
    const data = { conductor: 'one', session: 's', group: '', drivers, weight: 1, release: '1', keyMode: 'group' };
    await harness.append('conductorRing', { type: 'ConductorJoined', data: { ...data, kind: 'conductor' } });
    return harness;
  }

  /** Starts a replica with messaging of its own, so that it leads like all others. */
  async replica(ports: Partial<Pick<ServicePorts, 'snapshotFile' | 'documentStore'>> = {}): Promise<Replica> {
    const broker = new MemoryBroker();
    const [inside, messaging] = [new MemoryMessaging(broker), new MemoryMessaging(broker)];
    const service = await createClusterService(
      {
        eventStore: this.store,
        documentStore: new MemoryDocumentStore(),
        messaging: inside,
        log: createLogger('cluster-service', 'silent'),
        ...ports,
      },
      { sessionTimeoutMs: HOUR_MS },
    );
    const replica: Replica = {
      messaging,
      stop: async () => {
        this.replicas.splice(this.replicas.indexOf(replica), 1);
        await service.close();
        await messaging.close();
        await inside.close();
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
    const context = { correlationId: uuidv7(), actor: 'test', project: PROJECT };
    await this.store.append(stream, newEvents(stream, after, events, context, AT), after < 0 ? 'no_stream' : after);
  }

  /** Appends the events of a conductor that has built the shared infrastructure. */
  async built(id: string): Promise<void> {
    const task = { taskId: stableId(id, 'cluster.create', 1), kind: 'cluster.create', generation: 1, attempt: 1 };
    await this.append(
      `cluster-${id}`,
      { type: 'TaskClaimed', data: { ...task, conductor: 'one', session: 's', epoch: 0 } },
      { type: 'TaskCompleted', data: { ...task, result: {} } },
    );
  }

  /** Appends the creation of the first group, as nodegroup-service does; resolves to its stream. */
  async groupOf(clusterId: string): Promise<string> {
    const [created] = await this.store.readStream(`cluster-${clusterId}`);
    const [group] = (created?.data as ClusterCreated['data']).groups;
    const stream = `nodeGroup-${group?.id ?? ''}`;
    const declaration = { ...group, clusterId, projectId: PROJECT, operationId: 'op' };
    await this.append(stream, { type: 'NodeGroupCreated', data: declaration });
    return stream;
  }

  async all(type: string): Promise<readonly RecordedEvent[]> {
    return (await this.store.readAll({ limit: 100_000 })).filter(e => e.type === type);
  }

  /** Sends a command on clusters. Rejects with RefusedError. */
  ask<D>(replica: Replica, verb: string, body: object, meta: Partial<RequestMeta> = {}): Promise<D> {
    return this.request(replica, commandSubject('cluster-service', 'cluster', verb), body, meta);
  }

  /** Sends a request to any subject of the service. Rejects with RefusedError. */
  async request<D>(replica: Replica, subject: string, body: object, meta: Partial<RequestMeta> = {}): Promise<D> {
    const full: RequestMeta = {
      correlationId: uuidv7(),
      actor: { keyId: 'k', role: 'member', project: PROJECT },
      ...meta,
    };
    const answer = await replica.messaging.request(subject, { meta: full, body }, { timeoutMs: 60_000 });
    const reply = answer as ServiceReply<D>;
    if (!reply.ok) throw new RefusedError(reply.error);
    return reply.data;
  }
}
