import { sessionSubject } from '@stave/contracts';
import { groupToken, type LiveMember } from '@stave/domain';
import { NoRespondersError, type Messaging } from '@stave/platform';
import type { HeartbeatLog } from './heartbeat-log.js';

const ASK_MS = 1_000;
const BETWEEN_MS = 500;
/** "Nobody" must be the answer this often, over at least `BETWEEN_MS` from one to the next. */
const ANSWERS = 3;
/** After its own connection broke, a process trusts no "nobody" for this time: others make their subscriptions again as well. */
const TRUSTED_AFTER_MS = 5_000;
/** Parts of the heartbeat's period: when a session is asked, and from when on its heartbeat is overdue. */
const ASKED_AFTER = 0.5;
const OVERDUE_AFTER = 1.25;

type Presence = 'answered' | 'nobody' | 'silent';

export interface SessionProbeParts {
  readonly messaging: Pick<Messaging, 'request' | 'connection'>;
  readonly heard: HeartbeatLog;
  readonly heartbeatMs: number;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Distinguishes a session whose process has ended from one that is frozen or slow. Only the process of a session subscribes to its subject, so the
 * message server answers at once that nobody does when the connection is gone. That counts only for sessions that have answered before,
 * whose heartbeat is overdue, and while another session answers that is connected to the same server: otherwise the server was restarted or
 * separated from others, and the process may live.
 */
export class SessionProbe {
  /** When each session was asked last. Absent: never. */
  private readonly askedAt = new Map<string, number>();
  private readonly answered = new Set<string>();
  private readonly running = new Set<string>();

  constructor(private readonly parts: SessionProbeParts) {}

  /** Forgets all sessions but these. */
  keep(live: ReadonlySet<string>): void {
    for (const session of this.askedAt.keys()) if (!live.has(session)) this.askedAt.delete(session);
    for (const session of this.answered) if (!live.has(session)) this.answered.delete(session);
  }

  /** Returns whether it is time to ask the session: once between two heartbeats, and again while one is overdue. */
  isDue({ session }: LiveMember): boolean {
    const { heard, heartbeatMs, nowMs } = this.parts;
    if (this.running.has(session)) return false;
    const last = heard.lastAt(session);
    const wait = (this.askedAt.get(session) ?? -Infinity) < last ? ASKED_AFTER : OVERDUE_AFTER;
    return nowMs() - last >= wait * heartbeatMs;
  }

  /** Resolves to true when the process of the session has certainly lost its connection. */
  async isGone(member: LiveMember, members: readonly LiveMember[]): Promise<boolean> {
    const { session } = member;
    this.running.add(session);
    try {
      return await this.ask(member, members);
    } finally {
      this.running.delete(session);
    }
  }

  private async ask(member: LiveMember, members: readonly LiveMember[]): Promise<boolean> {
    const { session } = member;
    const { heard, nowMs, pause } = this.parts;
    const began = nowMs();
    this.askedAt.set(session, began);
    let witnessed = false;
    for (let answers = 1; ; answers++) {
      const presence = await this.presence(member);
      if (presence === 'answered') this.answered.add(session);
      if (presence !== 'nobody' || !this.answered.has(session)) return false;
      if (!witnessed) witnessed = await this.hasWitness(session, members);
      if (heard.lastAt(session) > began) return false;
      if (answers >= ANSWERS && this.isOverdue(session)) return witnessed;
      await pause(BETWEEN_MS);
    }
  }

  private isOverdue(session: string): boolean {
    const { heard, heartbeatMs, nowMs } = this.parts;
    return nowMs() - heard.lastAt(session) >= OVERDUE_AFTER * heartbeatMs;
  }

  /** Asks the session that was heard last among the others on the same server. */
  private async hasWitness(session: string, members: readonly LiveMember[]): Promise<boolean> {
    const { heard, messaging } = this.parts;
    if ((messaging.connection()?.upMs ?? 0) < TRUSTED_AFTER_MS) return false;
    const server = heard.server(session);
    if (server === undefined) return false;
    const others = members.filter(other => other.session !== session && heard.server(other.session) === server);
    const [last] = others.sort((a, b) => heard.lastAt(b.session) - heard.lastAt(a.session));
    return last !== undefined && (await this.presence(last)) === 'answered';
  }

  /** Services, and conductors of earlier releases, have no group in their subjects. */
  private async presence({ session, kind, group }: LiveMember): Promise<Presence> {
    const found = kind === 'service' ? 'nobody' : await this.presenceOn(sessionSubject(session, groupToken(group)));
    return found === 'nobody' ? this.presenceOn(sessionSubject(session)) : found;
  }

  private async presenceOn(subject: string): Promise<Presence> {
    try {
      await this.parts.messaging.request(subject, {}, { timeoutMs: ASK_MS });
      return 'answered';
    } catch (error) {
      return error instanceof NoRespondersError ? 'nobody' : 'silent';
    }
  }
}
