import { UsageError } from '../exit-codes.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns milliseconds: `500ms`, `30s`, `5m`, `2h`, `1d`; a number alone is seconds. Throws UsageError. */
export function durationMs(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`${text} is no duration; use 30s, 5m or 2h`);
  return Number(number) * UNITS[unit]!;
}

/** Returns a time of ISO 8601: a duration means so long ago. Other texts are returned as they are, and the API refuses those that are no time. */
export function timeOf(text: string, now: number): string {
  return /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text) ? new Date(now - durationMs(text)).toISOString() : text;
}
