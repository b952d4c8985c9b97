import { heartbeatReplySubject, type HeartbeatReply } from '@stave/contracts';
import { decideRing, RingView, type RingCommand } from '@stave/domain';
import { createLogger } from '@stave/platform';
import { SessionKeeper } from './session-keeper.js';

const TIMEOUT_MS = 8_000;

/** One replica's keeper, its clock and its ring. */
class Bench {
  now = 0;
  readonly view = new RingView();
  readonly expired: string[] = [];
  onExpire: (session: string) => Promise<void> = () => Promise.resolve();
  private hear: (payload: unknown) => void = () => undefined;
  private replies: HeartbeatReply[] = [];
  readonly keeper = new SessionKeeper({
    messaging: {
      subscribe: (_subject, handler) => {
        this.hear = payload => handler(payload, 'heartbeat');
        return { close: () => Promise.resolve() };
      },
      publish: (subject, payload) => {
        if (subject === heartbeatReplySubject('a')) this.replies.push(payload as HeartbeatReply);
      },
    },
    view: this.view,
    log: createLogger('test', 'silent'),
    expire: (_conductor, session) => {
      this.expired.push(session);
      return this.onExpire(session);
    },
    sessionTimeoutMs: TIMEOUT_MS,
    nowMs: () => this.now,
  });

  do(command: RingCommand): void {
    const decision = decideRing(command, this.view.ringState);
    if (!decision.ok) throw new Error(decision.detail);
    for (const event of decision.events) this.view.apply(event, this.view.epoch + 1);
  }

  join(session: string): void {
    const registration = {
      group: '',
      drivers: [],
      weight: 1,
      release: '1',
      keyMode: 'group',
      kind: 'conductor',
    } as const;
    this.do({ type: 'Join', conductor: 'a', session, ...registration });
  }

  /** The answer to one heartbeat. */
  beat(session: string): HeartbeatReply['status'] | undefined {
    this.replies = [];
    this.hear({ member: 'a', session, sequence: 1, load: 2 });
    return this.replies[0]?.status;
  }

  /** Looks as often as the timer does, without heartbeats. */
  async pass(ms: number): Promise<void> {
    for (const end = this.now + ms; this.now < end;) {
      this.now += 500;
      await this.keeper.check();
    }
  }
}

describe('SessionKeeper', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    bench.join('a-1');
    bench.keeper.start();
  });
  afterEach(() => bench.keeper.stop());

  it('ends a session that is silent for the timeout, and no other', async () => {
    await bench.pass(5_000);
    expect(bench.beat('a-1')).toBe('ok');
    await bench.pass(8_000);
    expect(bench.expired).toEqual([]);
    await bench.pass(500);
    expect(bench.expired).toEqual(['a-1']);
  });

  it('does not count heartbeats of another session of the same member', async () => {
    bench.join('a-2');
    expect(bench.beat('a-1')).toBe('ended');
    await bench.pass(3_000);
    expect(bench.beat('a-2')).toBe('ok');
    expect(bench.keeper.heard.load('a-2')).toBe(2);
    await bench.pass(4_000);
    bench.beat('a-1');
    await bench.pass(4_000);
    expect(bench.expired).toEqual([]);
    await bench.pass(500);
    expect(bench.expired).toEqual(['a-2']);
  });

  it('renews no session whose end is being appended, and repeats an append that failed', async () => {
    bench.onExpire = async () => {
      expect(bench.beat('a-1')).toBe('unknown');
      throw new Error('the store is away');
    };
    await bench.pass(9_000);
    expect(bench.expired.length).toBeGreaterThan(0);
    expect(bench.beat('a-1')).toBe('unknown');
    const before = bench.expired.length;
    bench.onExpire = async session => bench.do({ type: 'Expire', conductor: 'a', session });
    await bench.pass(500);
    expect(bench.expired.length).toBe(before + 1);
    expect(bench.beat('a-1')).toBe('ended');
  });

  it('ends no session within a complete timeout after it was elected', async () => {
    await bench.keeper.stop();
    await bench.pass(60_000);
    expect(bench.beat('a-1')).toBe('unknown');
    await bench.pass(60_000);
    bench.keeper.start();
    await bench.pass(8_000);
    expect(bench.expired).toEqual([]);
  });

  it('ends no session within a complete timeout after its process was suspended', async () => {
    await bench.pass(1_000);
    expect(bench.beat('a-1')).toBe('ok');
    bench.now += 20_000;
    await bench.pass(8_000);
    expect(bench.expired).toEqual([]);
    await bench.pass(1_000);
    expect(bench.expired).toEqual(['a-1']);
  });
});
