import { RefusedError } from '@stave/contracts';

const MOST_MS = 60_000;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** `30s`, `500ms`, `1m`, or seconds without a unit → milliseconds. Throws RefusedError (400) for more than a minute. */
export function parseWait(value: unknown): number {
  if (value === undefined) return 0;
  const [, amount, unit] = /^([0-9]{1,6})(ms|s|m)?$/.exec(String(value)) ?? [];
  const ms = Number(amount) * (unitMs[unit ?? 's'] ?? 1000);
  if (ms <= MOST_MS) return ms;
  const errors = [{ pointer: '?wait', code: 'out-of-range', detail: 'must be 60s at most' }];
  throw new RefusedError({ code: 'validation-failed', kind: 'invalid', detail: 'wait must be 60s at most', errors });
}
