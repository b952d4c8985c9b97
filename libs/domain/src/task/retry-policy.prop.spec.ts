import fc from 'fast-check';
import { defaultRetryPolicy, retryDelayMs } from './retry-policy.js';

const retriable = fc.constantFrom('transient' as const, 'conflict' as const, 'capacity' as const);

it('waits between half and the complete of a doubling ceiling, never beyond the maximum', () => {
  fc.assert(
    fc.property(
      retriable,
      fc.integer({ min: 1, max: defaultRetryPolicy.maxAttempts - 1 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      (failure, failures, random) => {
        const delay = retryDelayMs(failure, failures, random) ?? -1;
        const ceiling = Math.min(defaultRetryPolicy.maxMs, defaultRetryPolicy.baseMs * 2 ** (failures - 1));
        expect(delay).toBeGreaterThanOrEqual(Math.floor(ceiling / 2));
        expect(delay).toBeLessThanOrEqual(ceiling);
      },
    ),
  );
});

it('ends at the last attempt and with failures that another attempt cannot mend', () => {
  expect(retryDelayMs('transient', defaultRetryPolicy.maxAttempts, 0)).toBeUndefined();
  for (const failure of ['permanent', 'notFound', 'unsupported'] as const)
    expect(retryDelayMs(failure, 1, 0)).toBeUndefined();
});
