import { compare, gt, gte, lte, parse, rcompare } from 'semver';

export interface DriverVersion {
  readonly version: string;
  readonly compatibleFrom?: string;
}

/**
 * Whether a driver version can operate what an older or equal one built: `compatibleFrom <= recorded <= version`;
 * without `compatibleFrom` only its own minor line (pre-releases of the line included). False for what is no version.
 */
export function canOperate(driver: DriverVersion, recordedVersion: string): boolean {
  const own = parse(driver.version);
  const recorded = parse(recordedVersion);
  if (own === null || recorded === null) return false;
  const from = parse(driver.compatibleFrom ?? `${own.major}.${own.minor}.0-0`);
  return from !== null && lte(recorded, own) && gte(recorded, from);
}

/** Newest first. */
export function newestFirst(a: string, b: string): number {
  return rcompare(a, b) || (a < b ? -1 : Number(a > b));
}

/** Oldest first. */
export function oldestFirst(a: string, b: string): number {
  return compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** Whether the first is a later version than the second; what is no version is never later. */
export const isNewer = (version: string, than: string): boolean =>
  parse(version) !== null && (parse(than) === null || gt(version, than));
