import fc from 'fast-check';
import { instantMs, instantOf, secondsAfter } from './instant.js';

describe('instants', () => {
  const year = 365.25 * 86_400_000;

  it('instants are read and written as the platform does', () => {
    fc.assert(
      fc.property(fc.integer({ min: Math.ceil(-1900 * year), max: Math.floor(8000 * year) }), ms => {
        const instant = new Date(ms).toISOString();
        expect(instantMs(instant)).toBe(ms);
        expect(instantOf(ms)).toBe(instant);
      }),
    );
  });

  it('an instant without a fraction is read, and other texts are refused', () => {
    expect(instantMs('1970-01-01T00:00:01Z')).toBe(1000);
    expect(() => instantMs('yesterday')).toThrow(RangeError);
  });

  it('seconds are added across days', () =>
    expect(secondsAfter('2024-02-28T23:59:59.500Z', 86_401)).toBe('2024-03-01T00:00:00.500Z'));
});
