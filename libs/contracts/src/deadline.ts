import { RefusedError } from './envelope.js';

/** A deadline of a request, as a regular expression for schemas: an instant (RFC 3339), or a duration from now. */
export const DEADLINE_PATTERN =
  '^([0-9]{1,6}(ms|s|m|h)|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2}))$';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Converts `30s`, `500ms`, `10m` or `2h` to milliseconds; returns undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ''] = /^([0-9]{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (unitMs[unit] ?? 1);
}

/** Returns whether the day that a text begins with exists: `Date` reads the 30th of February as the 2nd of March. */
export function isExistingDay(text: string): boolean {
  const day = text.slice(0, 10);
  const instant = new Date(`${day}T00:00:00.000Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day);
}

/** Converts a duration from `nowMs`, or an instant, to ISO 8601 in UTC. Throws RefusedError (400) for anything else. */
export function deadlineAt(given: string, nowMs: number): string {
  const duration = durationMs(given);
  const instant = new RegExp(DEADLINE_PATTERN).test(given) && isExistingDay(given) ? Date.parse(given) : NaN;
  const at = duration === undefined ? instant : nowMs + duration;
  if (Number.isFinite(at)) return new Date(at).toISOString();
  const detail = 'must be a time from now such as 30s, or an instant such as 2030-01-01T00:00:00Z';
  const errors = [{ pointer: '/deadline', code: 'malformed', detail }];
  throw new RefusedError({ code: 'validation-failed', kind: 'invalid', detail: `/deadline ${detail}`, errors });
}
