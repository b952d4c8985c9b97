import { membersAboveShares } from './rebalance.js';

describe('a rebalance', () => {
  it('moves as few as possible, and nobody where the counts are within one of each other', () => {
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
