import {
  RefusedError,
  epochSubject,
  type EpochReply,
  type RegisterReply,
  type RegisterRequest,
  type TableReply,
} from '@stave/contracts';
import {
  notFound,
  conflict,
  decideRing,
  omitUndefined,
  RING_STREAM,
  type RingCommand,
  type RingEvent,
} from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import { WrongExpectedRevisionError, type EventStore, type Logger, type Messaging } from '@stave/platform';
import {
  EVENT_STORE,
  LOGGER,
  MESSAGING,
  conductorActor,
  serviceActor,
  newEvents,
  RECONCILER,
  RingFollower,
  type EventContext,
} from '@stave/service-kit';
import { SESSION_SETTINGS, type SessionSettings } from './session-settings.js';

/** Appends to the ring stream which members join, drain, leave and expire. Every replica may append; the expected revision decides. */
@Injectable()
export class RingRegistrar {
  constructor(
    private readonly ring: RingFollower,
    @Inject(SESSION_SETTINGS) private readonly settings: SessionSettings,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(MESSAGING) messaging: Messaging,
  ) {
    ring.onChange(() => messaging.publish(epochSubject, { epoch: ring.view.epoch }));
  }

  /** Returns the current epoch from the log; registrations are based on it. */
  async epoch(): Promise<EpochReply> {
    await this.ring.refresh();
    return { epoch: this.ring.view.epoch, installation: this.settings.installation };
  }

  async register({ kind = 'conductor', ...request }: RegisterRequest): Promise<RegisterReply> {
    const { installation, heartbeatMs, sessionTimeoutMs } = this.settings;
    await this.execute({ type: 'Join', ...request, kind }, memberContext(kind, request.conductor));
    return { installation, heartbeatMs, sessionTimeoutMs, epoch: this.ring.view.epoch };
  }

  async table(conductor: string, session: string): Promise<TableReply> {
    await this.ring.refresh();
    const member = this.ring.view.member(conductor);
    if (member?.session !== session)
      throw new RefusedError(conflict('session-ended', 'the session has ended; register again'));
    const { drainingUntil: drainUntil } = member;
    const { epoch } = this.ring.view;
    const holdings = this.ring.view.holdings(conductor);
    return { epoch, draining: drainUntil !== undefined, ...omitUndefined({ drainUntil }), holdings };
  }

  async drain(conductor: string, deadline: string, context: EventContext): Promise<void> {
    await this.ring.refresh();
    const member = this.ring.view.member(conductor);
    if (!member || member.kind === 'service') throw new RefusedError(notFound('the conductor'));
    await this.execute({ type: 'Drain', conductor, session: member.session, deadline }, context);
  }

  leave(conductor: string, session: string): Promise<void> {
    const { kind } = this.ring.view.member(conductor) ?? {};
    return this.execute({ type: 'Leave', conductor, session }, memberContext(kind, conductor));
  }

  expire(conductor: string, session: string): Promise<void> {
    return this.execute({ type: 'Expire', conductor, session }, { correlationId: RING_STREAM, actor: RECONCILER });
  }

  private async execute(command: RingCommand, context: EventContext): Promise<void> {
    for (;;) {
      // other replicas append too: neither a refusal nor an empty decision may follow from an old view
      await this.ring.refresh();
      const decision = decideRing(command, this.ring.view.ringState);
      if (!decision.ok) throw new RefusedError(conflict(decision.code, decision.detail));
      if (decision.events.length === 0) return;
      const write = { stream: RING_STREAM, after: this.ring.view.epoch, events: decision.events };
      const { admission } = context;
      if (admission && !(await admission.admits(write))) return;
      try {
        await this.append(decision.events, this.ring.view.epoch, context);
        await this.ring.refresh();
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        this.log.debug('the ring changed meanwhile; the decision is repeated');
      }
    }
  }

  private async append(events: readonly RingEvent[], epoch: number, context: EventContext): Promise<void> {
    const fresh = newEvents(RING_STREAM, epoch, events, context, new Date().toISOString());
    await this.store.append(RING_STREAM, fresh, epoch < 0 ? 'no_stream' : epoch);
  }
}

/** Returns the metadata of what a member of the ring requests. */
const memberContext = (kind: 'conductor' | 'service' | undefined, member: string): EventContext => ({
  correlationId: RING_STREAM,
  actor: kind === 'service' ? serviceActor(member) : conductorActor(member),
});
