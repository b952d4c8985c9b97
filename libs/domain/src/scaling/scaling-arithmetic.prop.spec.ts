import fc from 'fast-check';
import {
  adjustmentOf,
  adjustmentTowards,
  cooldownRefusal,
  scaledCount,
  type Adjustment,
} from './scaling-arithmetic.js';

const count = (from: number, adjustment: Adjustment, bounds = {}): number | string => {
  const scaled = scaledCount(from, adjustment, bounds);
  return scaled.ok ? scaled.count : scaled.refusal.code;
};
const percent = (number: number, minStep?: number): Adjustment => ({
  type: 'percentage',
  number,
  ...(minStep === undefined ? {} : { minStep }),
});

describe('scaling arithmetic', () => {
  it.each([
    [10, 25, 13],
    [10, -25, 7],
    [4, 50, 6],
    [3, 50, 5],
    [3, -50, 1],
    [1, 1, 2],
    [1, -1, 0],
    [0, 50, 1],
    [7, 0, 7],
    [100, 29, 129],
    [50, 14, 57],
  ])('%i members and %i %% are %i', (from, number, expected) => expect(count(from, percent(number))).toBe(expected));

  it('a percentage changes by the least step at least, in its direction', () => {
    expect(count(10, percent(10, 3))).toBe(13);
    expect(count(10, percent(-10, 3))).toBe(7);
    expect(count(10, percent(50, 3))).toBe(15);
  });

  it('a result outside the bounds is refused, or is the bound by best effort', () => {
    const bounds = { min: 2, max: 8 };
    expect(count(4, { type: 'change', number: 5 }, bounds)).toBe('outside-bounds');
    expect(count(4, { type: 'change', number: -3 }, bounds)).toBe('outside-bounds');
    expect(count(4, { type: 'change', number: 5, bestEffort: true }, bounds)).toBe(8);
    expect(count(4, { type: 'exact', number: 1, bestEffort: true }, bounds)).toBe(2);
    expect(count(0, { type: 'change', number: -1 })).toBe('outside-bounds');
  });

  it('an exact number against the direction changes nothing', () => {
    expect(scaledCount(4, { type: 'exact', number: 2 }, {}, 'out')).toEqual({ ok: true, count: 4 });
    expect(scaledCount(4, { type: 'exact', number: 6 }, {}, 'in')).toEqual({ ok: true, count: 4 });
    expect(scaledCount(4, { type: 'exact', number: 6 }, {}, 'out')).toEqual({ ok: true, count: 6 });
  });

  it('a percentage rounds away from zero, and one in the other direction is its mirror', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 1, max: 100 }), (from, number) => {
        const out = Number(count(from, percent(number))) - from;
        expect(out).toBe(Math.max(1, Math.ceil((from * number) / 100 - 1e-9)));
        const towards = scaledCount(from, adjustmentTowards('in', percent(number)), { min: -Infinity });
        expect(towards).toEqual({ ok: true, count: from - out });
      }),
    );
  });

  it('a change by best effort is always within the bounds', () => {
    const adjustment = fc.record({
      type: fc.constantFrom('change' as const, 'exact' as const, 'percentage' as const),
      number: fc.integer({ min: -200, max: 200 }),
      minStep: fc.integer({ min: 1, max: 9 }),
      bestEffort: fc.constant(true),
    });
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.nat(20), adjustment, (min, more, at, how) => {
        const max = min + more;
        const scaled = scaledCount(Math.min(max, min + at), how, { min, max });
        expect(scaled.ok && scaled.count >= min && scaled.count <= max).toBe(true);
      }),
    );
  });

  it('requests give a count, a change by number, or one by percent', () => {
    expect(adjustmentOf({ count: 3 })).toEqual({ type: 'exact', number: 3 });
    expect(adjustmentOf({ change: -2 })).toEqual({ type: 'change', number: -2 });
    expect(adjustmentOf({ change: '+25%' }, { minStep: 2 })).toEqual({ type: 'percentage', number: 25, minStep: 2 });
    expect(adjustmentOf({ change: '-5%' }, { bestEffort: true })).toMatchObject({ number: -5, bestEffort: true });
  });

  it('a running cooldown refuses with the seconds that are left', () => {
    const until = '2026-01-01T00:01:00.000Z';
    expect(cooldownRefusal({ until }, '2026-01-01T00:00:30.500Z')).toMatchObject({
      code: 'cooldown',
      extra: { retryAfterSeconds: 30 },
      retryAfterMs: 29_500,
    });
    expect(cooldownRefusal({ until }, until)).toBeUndefined();
    expect(cooldownRefusal(undefined, until)).toBeUndefined();
  });
});
