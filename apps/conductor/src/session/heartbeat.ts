import { heartbeatReplySubject, heartbeatSubject, type Heartbeat, type HeartbeatReply } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import type { Logger } from 'pino';
import type { Clock } from '../time/clock.js';
import type { Session } from './session.js';

/** Answers to older heartbeats than this many prove nothing useful. */
const REMEMBERED = 16;

export interface HeartbeatParts {
  readonly messaging: Messaging;
  readonly conductor: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Tasks in flight. */
  readonly load: () => number;
  readonly onEpoch: (epoch: number) => void;
}

/** Tells cluster-service that the session lives, and the session's guard what was answered. */
export class HeartbeatSender {
  constructor(private readonly parts: HeartbeatParts) {}

  /** Beats from now until the session ends; ends it itself when the guard or an answer says that it is over. */
  run(session: Session): void {
    const sent = new Map<number, number>();
    const subscription = this.parts.messaging.subscribe(heartbeatReplySubject(this.parts.conductor), payload =>
      this.answered(session, sent, payload),
    );
    session.onEnd(() => void subscription.close());
    this.watch(session);
    this.beat(session, sent, 1);
  }

  private beat(session: Session, sent: Map<number, number>, sequence: number): void {
    if (!session.isAlive()) return;
    const { messaging, conductor: member, clock, load } = this.parts;
    sent.set(sequence, clock.now());
    sent.delete(sequence - REMEMBERED);
    const heartbeat: Heartbeat = { member, session: session.id, sequence, load: load() };
    session.after(session.terms.heartbeatMs, () => this.beat(session, sent, sequence + 1));
    try {
      messaging.publish(heartbeatSubject, heartbeat);
    } catch (error) {
      this.parts.log.warn({ err: error }, 'heartbeat was not sent');
    }
  }

  /** The timer only makes the end prompt; what counts is the guard's own look at the clock. */
  private watch(session: Session): void {
    if (!session.isAlive()) return;
    session.after(session.guard.remainingMs + 1, () => this.watch(session));
  }

  private answered(session: Session, sent: ReadonlyMap<number, number>, payload: unknown): void {
    if (!isHeartbeatReply(payload) || payload.session !== session.id) return;
    if (payload.status === 'ended') return session.finish('ended');
    const sentAt = sent.get(payload.sequence);
    if (payload.status !== 'ok' || sentAt === undefined) return;
    session.guard.answered(sentAt);
    this.parts.onEpoch(payload.epoch);
  }
}

function isHeartbeatReply(payload: unknown): payload is HeartbeatReply {
  return typeof payload === 'object' && payload !== null && 'session' in payload && 'sequence' in payload;
}
