import {
  groupHeartbeatSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  type Heartbeat,
  type HeartbeatReply,
} from '@stave/contracts';
import { groupToken, type LiveMember, type RingView } from '@stave/domain';
import type { Logger, Messaging } from '@stave/platform';
import { setTimeout as pause } from 'node:timers/promises';
import { HeartbeatLog } from './heartbeat-log.js';
import { SessionProbe } from './session-probe.js';

const CHECK_INTERVAL_MS = 250;
/** A longer pause between two checks means that the process was suspended: heartbeats of that time may still be in its queues. */
const MAX_PAUSE_MS = 2_000;

export interface SessionKeeperParts {
  readonly messaging: Pick<Messaging, 'publish' | 'subscribe' | 'request' | 'connection'>;
  readonly view: RingView;
  readonly log: Logger;
  readonly expire: (conductor: string, session: string) => Promise<void>;
  readonly heartbeatMs: number;
  readonly sessionTimeoutMs: number;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
}

/**
 * Receives and answers heartbeats on every replica, and ends silent sessions on the elected one.
 * Only the elected replica renews sessions, because only it ends them.
 */
export class SessionKeeper {
  readonly heard: HeartbeatLog;
  private readonly probe: SessionProbe;
  /** Sessions whose end is being appended: heartbeats do not renew them any more. */
  private readonly expiring = new Set<string>();
  private ending = false;
  private readonly nowMs: () => number;
  private timer: NodeJS.Timeout | undefined;
  private listeningSince: number | undefined;
  private checkedAt = 0;

  constructor(private readonly parts: SessionKeeperParts) {
    this.nowMs = parts.nowMs ?? ((): number => performance.now());
    this.heard = new HeartbeatLog(this.nowMs);
    this.probe = new SessionProbe({
      messaging: parts.messaging,
      heard: this.heard,
      heartbeatMs: parts.heartbeatMs,
      nowMs: this.nowMs,
      pause: parts.pause ?? (ms => pause(ms, undefined, { ref: false })),
    });
    parts.messaging.subscribe(heartbeatSubject, payload => this.beat(payload as Heartbeat));
    parts.messaging.subscribe(groupHeartbeatSubject('*'), (payload, subject) =>
      this.beat(payload as Heartbeat, subject.slice(subject.lastIndexOf('.') + 1)),
    );
  }

  /** Starts to end silent sessions, none before this replica has listened for one complete timeout. */
  start(): void {
    this.listeningSince = this.checkedAt = this.nowMs();
    this.expiring.clear();
    this.timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  stop(): Promise<void> {
    this.listeningSince = undefined;
    clearInterval(this.timer);
    return Promise.resolve();
  }

  /** Checks all sessions once. */
  async check(): Promise<void> {
    const now = this.nowMs();
    if (this.listeningSince === undefined) return;
    if (now - this.checkedAt > MAX_PAUSE_MS) this.listeningSince = now;
    this.listeningSince = Math.max(this.listeningSince, this.connectedSince(now));
    this.checkedAt = now;
    this.forgetEnded();
    const members = this.parts.view.members();
    for (const member of members) if (this.probe.isDue(member)) void this.endGone(member, members);
    if (!this.ending) await this.endSilent(now, this.listeningSince, members);
  }

  /** Nothing can be heard while the connection of this process is down, so nobody is silent then. */
  private connectedSince(now: number): number {
    return now - (this.parts.messaging.connection()?.upMs ?? 0);
  }

  /** Forgets sessions that have ended. To be called on every replica when the ring has changed. */
  forgetEnded(): void {
    const live = new Set(this.parts.view.members().map(({ session }) => session));
    this.heard.keep(live);
    this.probe.keep(live);
  }

  /** Ends sessions one after the other: each end is an append to the same stream. */
  private async endSilent(now: number, listeningSince: number, members: readonly LiveMember[]): Promise<void> {
    this.ending = true;
    for (const { conductor, session } of members) {
      const since = Math.max(this.heard.lastAt(session), listeningSince);
      if (this.listeningSince === undefined) break;
      if (now - since > this.parts.sessionTimeoutMs)
        await this.end(conductor, session, 'no heartbeat arrived; the session is ended');
    }
    this.ending = false;
  }

  /** Ends a session whose process has ended, before its timeout. */
  private async endGone(member: LiveMember, members: readonly LiveMember[]): Promise<void> {
    const { conductor, session } = member;
    if (!(await this.probe.isGone(member, members))) return;
    if (this.listeningSince === undefined || this.expiring.has(session) || !this.parts.view.isLive(session)) return;
    await this.end(conductor, session, 'its process has lost the connection; the session is ended');
  }

  private async end(conductor: string, session: string, why: string): Promise<void> {
    this.expiring.add(session);
    this.parts.log.warn({ conductor, session }, why);
    try {
      await this.parts.expire(conductor, session);
      this.expiring.delete(session);
    } catch (err) {
      this.parts.log.warn({ err, session }, 'a silent session could not be ended; it is tried again');
    }
  }

  /** `token`: of the group that the subject of the heartbeat proves; absent for services and conductors of earlier releases. */
  private beat(heartbeat: Heartbeat, token?: string): void {
    const { member, session, sequence } = heartbeat;
    const { view, messaging } = this.parts;
    const known = view.member(member);
    if (token !== undefined && known !== undefined && groupToken(known.group) !== token) return;
    const lives = view.isLive(session) && !this.expiring.has(session);
    if (lives) this.heard.take(heartbeat);
    const ended = view.ringState.ended.has(session);
    const status = lives && this.listeningSince !== undefined ? 'ok' : ended ? 'ended' : 'unknown';
    const reply: HeartbeatReply = { session, sequence, status, epoch: view.epoch };
    messaging.publish(heartbeatReplySubject(member, token), reply);
  }
}
