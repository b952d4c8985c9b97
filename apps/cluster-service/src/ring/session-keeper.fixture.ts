import {
  groupHeartbeatSubject,
  heartbeatReplySubject,
  heartbeatSubject,
  sessionSubject,
  type HeartbeatReply,
} from '@stave/contracts';
import { decideRing, groupToken, RingView, type RingCommand } from '@stave/domain';
import { createLogger, NoRespondersError, RequestTimeoutError, type MessagingConnection } from '@stave/platform';
import { SessionKeeper } from './session-keeper.js';

const TIMEOUT_MS = 8_000;

/** One replica's keeper with its clock, its ring and its connection. */
export class SessionBench {
  now = 0;
  /** Sessions whose process answers, and those whose process is frozen. Nobody answers for others. */
  readonly answering = new Set<string>();
  readonly frozen = new Set<string>();
  /** When the connection of this replica was made; undefined: it is down. */
  connectedAt: number | undefined = -60_000;
  private readonly pauses: { readonly until: number; readonly end: () => void }[] = [];
  readonly view = new RingView();
  readonly expired: string[] = [];
  onExpire: (session: string) => Promise<void> = () => Promise.resolve();
  private hear: (payload: unknown) => void = () => undefined;
  private hearFrom: (token: string, payload: unknown) => void = () => undefined;
  private repliesOn = heartbeatReplySubject('a');
  private replies: HeartbeatReply[] = [];
  readonly keeper = new SessionKeeper({
    messaging: {
      subscribe: (subject, handler) => {
        if (subject === heartbeatSubject) this.hear = payload => handler(payload, subject);
        else this.hearFrom = (token, payload) => handler(payload, groupHeartbeatSubject(token));
        return { close: () => Promise.resolve() };
      },
      publish: (subject, payload) => {
        if (subject === this.repliesOn) this.replies.push(payload as HeartbeatReply);
      },
      request: async (subject, _payload, { timeoutMs }) => {
        const isOf = (session: string): boolean => subject === sessionSubject(session);
        if ([...this.answering].some(isOf)) return {};
        if (![...this.frozen].some(isOf)) throw new NoRespondersError(subject);
        throw new RequestTimeoutError(subject, timeoutMs);
      },
      connection: () => this.connection(),
    },
    view: this.view,
    log: createLogger('test', 'silent'),
    expire: (_conductor, session) => {
      this.expired.push(session);
      return this.onExpire(session);
    },
    heartbeatMs: 2_000,
    sessionTimeoutMs: TIMEOUT_MS,
    nowMs: () => this.now,
    pause: ms => new Promise(end => this.pauses.push({ until: this.now + ms, end })),
  });

  private connection(): MessagingConnection | undefined {
    return this.connectedAt === undefined ? undefined : { server: 's1', upMs: this.now - this.connectedAt };
  }

  do(command: RingCommand): void {
    const decision = decideRing(command, this.view.ringState);
    if (!decision.ok) throw new Error(decision.detail);
    for (const event of decision.events) this.view.apply(event, this.view.epoch + 1);
  }

  join(session: string, conductor = 'a'): void {
    const more = { weight: 1, release: '1', keyMode: 'group', kind: 'conductor' } as const;
    this.do({ type: 'Join', conductor, session, group: '', drivers: [], ...more });
  }

  /** The answer to one heartbeat on the subject of a group. */
  beatFrom(group: string, session: string): HeartbeatReply['status'] | undefined {
    this.replies = [];
    this.repliesOn = heartbeatReplySubject('a', groupToken(group));
    this.hearFrom(groupToken(group), { member: 'a', session, sequence: 1, load: 0 });
    this.repliesOn = heartbeatReplySubject('a');
    return this.replies[0]?.status;
  }

  /** The answer to one heartbeat. */
  beat(session: string, server?: string): HeartbeatReply['status'] | undefined {
    this.replies = [];
    this.hear({ member: 'a', session, sequence: 1, load: 2, ...(server !== undefined && { server }) });
    return this.replies[0]?.status;
  }

  /** Checks again and again, without heartbeats. */
  async pass(ms: number, everyMs = 500): Promise<void> {
    for (const end = this.now + ms; this.now < end;) {
      this.now += everyMs;
      for (const pause of this.pauses.splice(0)) {
        if (pause.until <= this.now) pause.end();
        else this.pauses.push(pause);
      }
      await this.keeper.check();
      await new Promise(resolve => setImmediate(resolve));
    }
  }
}
