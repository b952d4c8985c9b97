import fc from 'fast-check';
import { membersAboveShares, sharesOf } from './rebalance.js';

const weights = fc
  .array(fc.nat(1000), { minLength: 1, maxLength: 6 })
  .map(all => new Map(all.map((weight, i) => [`z${i}`, weight] as const)));

describe('shares of units', () => {
  it('sum up to the members and are less than one off the exact quota', () => {
    fc.assert(
      fc.property(fc.nat(500), weights, (n, by) => {
        const total = [...by.values()].reduce((sum, w) => sum + w, 0);
        fc.pre(total > 0);
        const shares = sharesOf(n, by);
        expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBe(n);
        for (const [unit, weight] of by)
          expect(Math.abs((shares.get(unit) ?? 0) - (n * weight) / total)).toBeLessThan(1);
      }),
    );
  });

  it('a rebalance moves as few as possible, and nobody where the counts are within one of each other', () => {
    const at = (unit: string, n: number) =>
      Array.from({ length: n }, (_, i) => ({ id: `${unit}${i}`, unit, addedAt: `2026-01-0${i + 1}` }));
    const equal = new Map([
      ['a', 1],
      ['b', 1],
    ]);
    expect(membersAboveShares([...at('a', 2), ...at('b', 3)], equal)).toEqual([]);
    expect(membersAboveShares([...at('a', 5), ...at('b', 1)], equal)).toEqual(['a4', 'a3']);
    expect(membersAboveShares(at('c', 2), equal)).toEqual(['c1', 'c0']);
  });
});
