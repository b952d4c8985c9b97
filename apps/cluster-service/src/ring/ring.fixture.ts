import {
  commandSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  RefusedError,
  type HeartbeatReply,
  type RegisterReply,
  type RegisterRequest,
  type ServiceReply,
} from '@stave/contracts';
import { RING_STREAM, type KeyMode } from '@stave/domain';
import {
  createLogger,
  EmbeddedEventStore,
  MemoryBroker,
  MemoryDocumentStore,
  MemoryMessaging,
  type RecordedEvent,
} from '@stave/platform';
import type { RingUser, RunningService } from '@stave/service-kit';
import { createClusterService } from '../app.module.js';

export const TIMEOUT_MS = 2_500;
const REQUEST_MS = 5_000;
const meta = { correlationId: 'test', actor: { keyId: 'test', role: 'admin', project: null } };

export interface RingView {
  readonly key: string;
  readonly mode: KeyMode;
  readonly pinnedBy: readonly string[];
  readonly services: readonly { readonly id: string; readonly keyMode: KeyMode; readonly lastHeartbeatAt: string }[];
  readonly tables: readonly { readonly slots: Readonly<Record<string, number>> }[];
}

export interface ConductorView {
  readonly id: string;
  readonly session: string;
  readonly load: number;
  readonly staleReports: number;
  readonly lastHeartbeatAt: string | null;
}

/** Replicas of cluster-service on one log and one messaging; the test sends the messages of members. */
export class RingHarness {
  readonly messaging: MemoryMessaging;
  private readonly replicas = new Set<RunningService>();
  private readonly beating = new Map<string, NodeJS.Timeout>();
  /** The last reply of the elected replica, by session. */
  readonly answers = new Map<string, HeartbeatReply['status']>();

  private constructor(
    readonly store: EmbeddedEventStore,
    private readonly documents: MemoryDocumentStore,
    private readonly broker = new MemoryBroker(),
  ) {
    this.messaging = new MemoryMessaging(broker);
    this.messaging.subscribe(heartbeatReplySubject('*'), payload => {
      const { session, status } = payload as HeartbeatReply;
      if (status !== 'unknown') this.answers.set(session, status);
    });
  }

  static async open(): Promise<RingHarness> {
    return new RingHarness(await EmbeddedEventStore.open({ memory: true }), new MemoryDocumentStore());
  }

  async replica(keyMode: KeyMode): Promise<RunningService> {
    const ringUser: RingUser = { release: '1.0.0', keyMode };
    const own = new MemoryMessaging(this.broker);
    const ports = { eventStore: this.store, documentStore: this.documents, messaging: own, ringUser };
    const log = createLogger('cluster-service', 'silent');
    const running = await createClusterService({ ...ports, log }, { heartbeatMs: 100, sessionTimeoutMs: TIMEOUT_MS });
    const service: RunningService = {
      close: async () => {
        if (!this.replicas.delete(service)) return;
        await running.close();
        await own.close();
      },
    };
    this.replicas.add(service);
    return service;
  }

  async close(): Promise<void> {
    for (const conductor of [...this.beating.keys()]) this.silence(conductor);
    for (const replica of [...this.replicas]) await replica.close();
    await this.messaging.close();
    await this.store.close();
  }

  async ask<D>(resource: string, verb: string, body: object = {}): Promise<D> {
    const subject = commandSubject('cluster-service', resource, verb);
    const reply = await this.messaging.request(subject, { meta, body }, { timeoutMs: REQUEST_MS });
    const answer = reply as ServiceReply<D>;
    if (!answer.ok) throw new RefusedError(answer.error);
    return answer.data;
  }

  /** Registers a conductor of the default group; it sends no heartbeats. */
  join(conductor: string, session: string, more: Partial<RegisterRequest> = {}): Promise<RegisterReply> {
    const drivers = [{ name: 'fake', version: '1.0.0', manifest: {} }];
    const own = { conductor, session, group: '', drivers, weight: 1, release: '1.0.0', keyMode: 'group' as const };
    return this.ask('conductor', 'register', { ...own, ...more });
  }

  beat(member: string, session: string, load = 0): void {
    this.messaging.publish(heartbeatSubject, { member, session, sequence: 1, load });
  }

  /** Sends heartbeats of this session until it is silenced. */
  keepBeating(member: string, session: string): void {
    this.beating.set(
      session,
      setInterval(() => this.beat(member, session), 50),
    );
  }

  silence(session: string): void {
    clearInterval(this.beating.get(session));
    this.beating.delete(session);
  }

  async ring(): Promise<RingView | undefined> {
    return (await this.ask<{ items: readonly RingView[] }>('ring', 'list', { limit: 50, filter: {} })).items[0];
  }

  conductor(id: string): Promise<ConductorView> {
    return this.ask('conductor', 'get', { id });
  }

  events(): Promise<readonly RecordedEvent[]> {
    return this.store.readStream(RING_STREAM);
  }
}
