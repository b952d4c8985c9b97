import { SessionBench } from './session-keeper.fixture.js';

describe('SessionKeeper', () => {
  let bench: SessionBench;
  beforeEach(() => {
    bench = new SessionBench();
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

  it('counts heartbeats on the subject of the own group, and not on that of another one, which is not answered either', async () => {
    await bench.pass(5_000);
    expect(bench.beatFrom('', 'a-1')).toBe('ok');
    await bench.pass(5_000);
    expect(bench.beatFrom('other', 'a-1')).toBeUndefined();
    await bench.pass(3_500);
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

  it('forgets the heartbeats of sessions that have ended, also where it ends none itself', async () => {
    await bench.keeper.stop();
    bench.beat('a-1');
    bench.join('b-1', 'b');
    bench.do({ type: 'Expire', conductor: 'a', session: 'a-1' });
    bench.keeper.forgetEnded();
    expect(bench.keeper.heard.lastTime('a-1')).toBeUndefined();
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

  it('ends no session while its own connection is down, nor within a complete timeout afterwards', async () => {
    await bench.pass(1_000);
    expect(bench.beat('a-1')).toBe('ok');
    bench.connectedAt = undefined;
    await bench.pass(20_000);
    bench.connectedAt = bench.now;
    await bench.pass(8_000);
    expect(bench.expired).toEqual([]);
    await bench.pass(500);
    expect(bench.expired).toEqual(['a-1']);
  });

  it('ends no session within a complete timeout after its own connection broke and was made again between two checks', async () => {
    await bench.pass(6_000);
    bench.connectedAt = bench.now + 400;
    await bench.pass(8_000);
    expect(bench.expired).toEqual([]);
    await bench.pass(500);
    expect(bench.expired).toEqual(['a-1']);
  });

  describe('a session whose process may have ended', () => {
    beforeEach(async () => {
      bench.join('b-1', 'b');
      for (const session of ['a-1', 'b-1']) {
        bench.answering.add(session);
        bench.beat(session, 's1');
      }
      await bench.pass(1_250, 250);
    });

    it('is ended as soon as its heartbeat is overdue when nobody answers for it and another session does', async () => {
      bench.answering.delete('a-1');
      bench.beat('b-1', 's1');
      await bench.pass(2_500, 250);
      expect(bench.expired).toEqual(['a-1']);
    });

    it('is not ended before its timeout when its process is frozen', async () => {
      bench.answering.delete('a-1');
      bench.frozen.add('a-1');
      bench.beat('b-1', 's1');
      await bench.pass(6_500, 250);
      expect(bench.expired).toEqual([]);
    });

    it('is not ended before its timeout when nobody answers for any session', async () => {
      bench.answering.clear();
      await bench.pass(6_500, 250);
      expect(bench.expired).toEqual([]);
    });

    it('is not ended before its timeout when only sessions on another server answer', async () => {
      bench.answering.delete('a-1');
      bench.beat('b-1', 's2');
      await bench.pass(6_500, 250);
      expect(bench.expired).toEqual([]);
    });

    it('is not ended before its timeout when the connection of this process broke a moment ago', async () => {
      bench.answering.delete('a-1');
      bench.connectedAt = bench.now;
      bench.beat('b-1', 's1');
      await bench.pass(4_500, 250);
      expect(bench.expired).toEqual([]);
    });

    it('is not ended before its timeout when its process has never answered', async () => {
      bench.join('c-1', 'c');
      bench.beat('c-1', 's1');
      bench.beat('b-1', 's1');
      await bench.pass(6_000, 250);
      expect(bench.expired).toEqual([]);
    });

    it('is not ended while its heartbeats arrive, although nobody answers for it', async () => {
      bench.answering.delete('a-1');
      for (let beats = 0; beats < 8; beats += 1) {
        for (const session of ['a-1', 'b-1']) bench.beat(session, 's1');
        await bench.pass(2_000, 250);
      }
      expect(bench.expired).toEqual([]);
    });
  });
});
