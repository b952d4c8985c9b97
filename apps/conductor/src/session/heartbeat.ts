import { Inject, Injectable } from '@nestjs/common';
import {
  groupHeartbeatSubject,
  heartbeatReplySubject,
  sessionSubject,
  type Heartbeat,
  type HeartbeatReply,
} from '@stave/contracts';
import { omitUndefined } from '@stave/domain';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import { fieldsOf } from '../message-fields.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import { TaskRunner } from '../work/task-runner.js';
import type { Session } from './session.js';

const REMEMBERED = 16;

/** Sends heartbeats to cluster-service and reports the replies to the guard of the session. */
@Injectable()
export class HeartbeatSender {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly runner: TaskRunner,
    private readonly tables: SlotTableClient,
    private readonly context: ConductorContext,
  ) {}

  /** Sends heartbeats until the session ends. Ends it when its guard expires or a reply says that it ended. */
  run(session: Session): void {
    const sent = new Map<number, number>();
    const { id, groupToken } = this.context;
    const subscription = this.messaging.subscribe(heartbeatReplySubject(id, groupToken), payload =>
      this.answered(session, sent, payload),
    );
    const asked = sessionSubject(session.id, groupToken);
    const presence = this.messaging.serve(asked, 'session', async () => ({ session: session.id }));
    session.onEnd(() => void Promise.all([subscription.close(), presence.close()]));
    this.watch(session);
    this.beat(session, sent, 1);
  }

  private beat(session: Session, sent: Map<number, number>, sequence: number): void {
    if (!session.isAlive()) return;
    const { id: member, clock, log, counters } = this.context;
    sent.set(sequence, clock.now());
    sent.delete(sequence - REMEMBERED);
    const { suspectedLosses, suspectedContainerLosses } = counters;
    const server = this.messaging.connection()?.server;
    const own = { member, session: session.id, sequence, load: this.runner.inFlight };
    const more = omitUndefined({
      server,
      suspectedLosses: suspectedLosses || undefined,
      suspectedContainerLosses: suspectedContainerLosses || undefined,
    });
    const heartbeat: Heartbeat = { ...own, ...more };
    session.after(session.terms.heartbeatMs, () => this.beat(session, sent, sequence + 1));
    try {
      this.messaging.publish(groupHeartbeatSubject(this.context.groupToken), heartbeat);
    } catch (error) {
      log.warn({ err: error }, 'heartbeat was not sent');
    }
  }

  /** The timer only makes the end of the session prompt. The guard itself decides by the clock at each check. */
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
    this.tables.learnEpoch(payload.epoch);
  }
}

function isHeartbeatReply(payload: unknown): payload is HeartbeatReply {
  const fields = fieldsOf(payload);
  return 'session' in fields && 'sequence' in fields;
}
