import fc from 'fast-check';
import { largestRemainder, largestSurplus } from './largest-remainder.js';

const weights = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 6 });
const sum = (list: readonly number[]): number => list.reduce((total, n) => total + n, 0);

describe('shares by largest remainder', () => {
  it.each([
    [10, [1, 1, 1], [4, 3, 3]],
    [10, [60, 30, 10], [6, 3, 1]],
    [7, [2, 1], [5, 2]],
    [3, [0, 5], [0, 3]],
    [3, [0, 0], [0, 0]],
    [0, [1, 2], [0, 0]],
  ])('%p members by the weights %p are %p', (n, list, shares) => {
    expect(largestRemainder(n, list)).toEqual(shares);
  });

  it('share everything, and are less than one from the exact quota', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10_000 }), weights, (n, list) => {
        const shares = largestRemainder(n, list);
        const total = sum(list);
        expect(sum(shares)).toBe(total === 0 ? 0 : n);
        if (total > 0) shares.forEach((share, i) => expect(Math.abs(share - (n * list[i]!) / total)).toBeLessThan(1));
      }),
    );
  });

  it('stay within one of the counts after growing to the largest deficit and shrinking from the largest surplus', () => {
    fc.assert(
      fc.property(weights, fc.array(fc.boolean(), { maxLength: 60 }), (list, steps) => {
        fc.pre(sum(list) > 0);
        const counts = list.map(() => 0);
        for (const grows of steps) {
          const n = sum(counts) + (grows ? 1 : -1);
          if (n < 0) continue;
          const shares = largestRemainder(n, list);
          if (grows) {
            const deficits = shares.map((share, i) => share - counts[i]!);
            counts[deficits.indexOf(Math.max(...deficits))]! += 1;
          } else counts[largestSurplus(counts, list, n)!]! -= 1;
          counts.forEach((count, i) => expect(Math.abs(count - shares[i]!)).toBeLessThanOrEqual(1));
        }
      }),
    );
  });

  it('a removal takes the last of the places with the same surplus, and none where nothing is', () => {
    expect(largestSurplus([2, 2], [1, 1], 2)).toBe(1);
    expect(largestSurplus([5, 2], [1, 1], 6)).toBe(0);
    expect(largestSurplus([0, 0], [1, 1], 0)).toBeUndefined();
  });
});
