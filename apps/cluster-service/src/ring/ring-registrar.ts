import {
  RefusedError,
  epochSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  staleSubject,
  type Heartbeat,
  type HeartbeatReply,
  type RegisterReply,
  type RegisterRequest,
  type TableReply,
} from '@stave/contracts';
import { decideRing, RING_STREAM, type JsonObject, type RingCommand, type RingEvent } from '@stave/domain';
import { newEvents, WrongExpectedRevisionError, type ServiceRuntime } from '@stave/platform';

export interface RegistrarOptions {
  readonly installation: string;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
}

interface Heard {
  readonly session: string;
  readonly at: number;
  readonly load: number;
}

const monotonicMs = (): number => performance.now();

/** Keeps the ring stream: who joined, drains, is silent for too long, left. Heartbeats are heard by every replica and stored by none. */
export class RingRegistrar {
  readonly heard = new Map<string, Heard>();
  readonly lastHeardAt = new Map<string, string>();
  readonly stale = new Map<string, number>();
  private readonly seenAt = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private leadingSince = Number.POSITIVE_INFINITY;

  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly options: RegistrarOptions,
  ) {
    const { messaging } = runtime.options;
    messaging.subscribe(heartbeatSubject, payload => this.beat(payload as Heartbeat));
    messaging.subscribe(staleSubject, payload => {
      const { conductor } = payload as { readonly conductor: string };
      this.stale.set(conductor, (this.stale.get(conductor) ?? 0) + 1);
    });
    runtime.ring.onChange(() => messaging.publish(epochSubject, { epoch: runtime.ring.view.epoch }));
  }

  async register(request: RegisterRequest): Promise<RegisterReply> {
    const { installation, heartbeatMs, sessionTimeoutMs } = this.options;
    const drivers = request.drivers.map(d => ({ ...d, manifest: d.manifest as JsonObject }));
    this.heard.set(request.conductor, { session: request.session, at: monotonicMs(), load: 0 });
    await this.execute({ type: 'Join', ...request, drivers, kind: 'conductor' });
    return { installation, heartbeatMs, sessionTimeoutMs, epoch: this.runtime.ring.view.epoch };
  }

  async table(conductor: string, session: string): Promise<TableReply> {
    const { ring } = this.runtime;
    await ring.refresh();
    const member = ring.view.member(conductor);
    if (member?.session !== session)
      throw new RefusedError({ code: 'session-ended', kind: 'conflict', detail: 'this session is over' });
    const { drainingUntil } = member;
    return {
      epoch: ring.view.epoch,
      draining: drainingUntil !== undefined,
      ...(drainingUntil === undefined ? {} : { drainUntil: drainingUntil }),
      holdings: ring.view.holdings(conductor),
    };
  }

  async drain(conductor: string, deadline: string): Promise<void> {
    const member = this.runtime.ring.view.member(conductor);
    if (!member || member.kind === 'service')
      throw new RefusedError({ code: 'not-found', kind: 'not-found', detail: 'the conductor does not exist' });
    await this.execute({ type: 'Drain', conductor, session: member.session, deadline });
  }

  async leave(conductor: string, session: string): Promise<void> {
    await this.execute({ type: 'Leave', conductor, session });
  }

  /** Only the elected replica declares sessions ended, and not before it has listened for one whole time-out. */
  start(): void {
    this.leadingSince = monotonicMs();
    this.timer = setInterval(
      () => void this.expire().catch((err: unknown) => this.runtime.log.warn({ err }, 'could not end silent sessions')),
      500,
    );
    this.timer.unref();
  }

  stop(): Promise<void> {
    this.leadingSince = Number.POSITIVE_INFINITY;
    if (this.timer) clearInterval(this.timer);
    return Promise.resolve();
  }

  private async expire(): Promise<void> {
    const now = monotonicMs();
    for (const member of this.runtime.ring.view.members()) {
      const heard = this.heard.get(member.conductor);
      const since = Math.max(
        heard?.session === member.session ? heard.at : this.firstSeen(member.session, now),
        this.leadingSince,
      );
      if (now - since <= this.options.sessionTimeoutMs) continue;
      this.runtime.log.warn({ conductor: member.conductor, session: member.session }, 'session ended: no heartbeat');
      await this.execute({ type: 'Expire', conductor: member.conductor, session: member.session });
    }
  }

  private get leading(): boolean {
    return this.leadingSince !== Number.POSITIVE_INFINITY;
  }

  /** A session that joined through another replica is given a whole time-out from when it was first seen here. */
  private firstSeen(session: string, now: number): number {
    const at = this.seenAt.get(session) ?? now;
    this.seenAt.set(session, at);
    return at;
  }

  private beat(beat: Heartbeat): void {
    const { view } = this.runtime.ring;
    const live = view.isLive(beat.session);
    if (live) {
      this.heard.set(beat.member, { session: beat.session, at: monotonicMs(), load: beat.load });
      this.lastHeardAt.set(beat.member, new Date().toISOString());
    }
    const status = live && this.leading ? 'ok' : view.ringState.ended.has(beat.session) ? 'ended' : 'unknown';
    const reply: HeartbeatReply = { session: beat.session, sequence: beat.sequence, status, epoch: view.epoch };
    this.runtime.options.messaging.publish(heartbeatReplySubject(beat.member), reply);
  }

  private async execute(command: RingCommand): Promise<void> {
    const { ring, options } = this.runtime;
    for (;;) {
      const decision = decideRing(command, ring.view.ringState);
      if (!decision.ok)
        throw new RefusedError({
          code: decision.code.toLowerCase().replaceAll('_', '-'),
          kind: 'conflict',
          detail: decision.detail,
        });
      if (decision.events.length === 0) return;
      try {
        await this.append(decision.events, ring.view.epoch);
        await ring.refresh();
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        await ring.refresh();
        options.log.debug('the ring moved, deciding again');
      }
    }
  }

  private async append(events: readonly RingEvent[], epoch: number): Promise<void> {
    const fresh = newEvents(
      RING_STREAM,
      epoch,
      events,
      { correlationId: RING_STREAM, actor: 'cluster-service' },
      new Date().toISOString(),
    );
    await this.runtime.options.eventStore.append(RING_STREAM, fresh, epoch < 0 ? 'no_stream' : epoch);
  }
}
