import fc from 'fast-check';
import { defaultRetryPolicy, retryDelayMs } from './decide-task.js';

const retriable = fc.constantFrom('transient' as const, 'conflict' as const, 'capacity' as const);

it('the back-off is between 50 and 100 percent of a ceiling that doubles up to the maximum', () => {
  fc.assert(
    fc.property(
      retriable,
      fc.integer({ min: 1, max: defaultRetryPolicy.maxFailures - 1 }),
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

it('a task is not retried after the last attempt or after a failure that another attempt cannot repair', () => {
  expect(retryDelayMs('transient', defaultRetryPolicy.maxFailures, 0)).toBeUndefined();
  for (const failure of ['permanent', 'notFound', 'unsupported'] as const)
    expect(retryDelayMs(failure, 1, 0)).toBeUndefined();
});
