import { TokenBuckets } from './token-buckets.js';

describe('TokenBuckets', () => {
  let now = 0;
  const buckets = (perSecond: number): TokenBuckets => new TokenBuckets(perSecond, () => now);
  beforeEach(() => (now = 0));
  const taken = (limit: TokenBuckets, client: string, times: number): number =>
    Array.from({ length: times }, () => limit.take(client)).filter(wait => wait === 0).length;

  it('accepts a burst of one second, then its rate, and reports when the next request may come', () => {
    const limit = buckets(10);
    expect(taken(limit, 'a', 30)).toBe(10);
    expect(limit.take('a')).toBeCloseTo(100);
    now += 250;
    expect(taken(limit, 'a', 30)).toBe(2);
    now += 60_000;
    expect(taken(limit, 'a', 30)).toBe(10);
  });

  it('limits each client alone', () => {
    const limit = buckets(1);
    expect([taken(limit, 'a', 3), taken(limit, 'b', 3)]).toEqual([1, 1]);
  });

  it('accepts everything without a limit', () => {
    expect(taken(buckets(0), 'a', 1000)).toBe(1000);
  });

  it('remembers a bounded number of clients, and forgets the one that was silent longest', () => {
    const limit = buckets(1);
    taken(limit, 'first', 1);
    for (let i = 0; i < 9_999; i++) limit.take(`c${i}`);
    expect(taken(limit, 'first', 1)).toBe(0);
    for (let i = 0; i < 9_999; i++) limit.take(`d${i}`);
    expect(taken(limit, 'first', 1)).toBe(0);
    for (let i = 0; i < 10_000; i++) limit.take(`e${i}`);
    expect([limit.size, taken(limit, 'first', 1)]).toEqual([10_000, 1]);
  });
});
