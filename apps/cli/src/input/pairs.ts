import { UsageError } from '../exit-codes.js';

/** Splits `member=value` at its first equals sign. Throws UsageError that names the flag. */
export function pairOf(entry: string, flag: string): [string, string] {
  const equals = entry.indexOf('=');
  if (equals <= 0) throw new UsageError(`${flag} ${entry} must be member=value`);
  return [entry.slice(0, equals), entry.slice(equals + 1)];
}

export const pairsOf = (entries: readonly string[] = [], flag: string): [string, string][] =>
  entries.map(entry => pairOf(entry, flag));
