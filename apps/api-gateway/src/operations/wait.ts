import { RefusedError } from '@stave/contracts';

const MAX_MS = 60_000;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** Parses `30s`, `500ms`, `1m`, or seconds without a unit into milliseconds. Throws RefusedError (400) above one minute. */
export function parseWait(value: unknown): number {
  if (value === undefined) return 0;
  const [, amount, unit] = /^([0-9]{1,6})(ms|s|m)?$/.exec(String(value)) ?? [];
  const ms = Number(amount) * (unitMs[unit ?? 's'] ?? 1000);
  if (ms <= MAX_MS) return ms;
  const errors = [{ pointer: '?wait', code: 'out-of-range', detail: 'must be 60s at most' }];
  throw new RefusedError({ code: 'validation-failed', kind: 'invalid', detail: 'wait must be 60s at most', errors });
}
