import { compare, gt, gte, lte, parse, rcompare } from 'semver';

export interface DriverVersion {
  readonly version: string;
  readonly compatibleFrom?: string;
}

/**
 * Returns whether a driver version can operate what an older or equal version built: `compatibleFrom <= recorded <= version`; without
 * `compatibleFrom` only within its own minor line, with pre-releases. False for an invalid version.
 */
export function canOperate(driver: DriverVersion, recordedVersion: string): boolean {
  const from = operatedFrom(driver);
  if (from === undefined || parse(recordedVersion) === null) return false;
  return lte(recordedVersion, driver.version) && gte(recordedVersion, from);
}

/** Returns the oldest version that a driver version can operate; undefined where one of the two is invalid. */
export function operatedFrom({ version, compatibleFrom }: DriverVersion): string | undefined {
  const own = parse(version);
  if (own === null) return undefined;
  const from = compatibleFrom ?? `${own.major}.${own.minor}.0-0`;
  return parse(from) === null ? undefined : from;
}

export function newestFirst(a: string, b: string): number {
  return rcompare(a, b) || (a < b ? -1 : Number(a > b));
}

export function oldestFirst(a: string, b: string): number {
  return compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** Returns whether the first version is later than the second. An invalid version is never later. */
export const isNewer = (version: string, than: string): boolean =>
  parse(version) !== null && (parse(than) === null || gt(version, than));
