import { RefusedError } from '@stave/contracts';
import { brokenRules, manifestOf, schemeOf, type DriverManifest, type RingView } from '@stave/domain';

const RETRY_MS = 5_000;

export interface MachineDriver {
  readonly driver: string;
  readonly driverVersion: string;
}

/** Returns the schemes of the URLs by which a driver reaches engines; none for a driver without the capability `machines`. */
export function schemesOf(manifest: DriverManifest | undefined): readonly string[] {
  const { capabilities = [], machineSchemes = [] } = (manifest ?? {}) as Readonly<
    Record<string, readonly string[] | undefined>
  >;
  return capabilities.includes('machines') ? machineSchemes : [];
}

/**
 * Returns the first driver, by name, that conductors of the group offer and that reaches engines by URLs of this scheme. Throws RefusedError:
 * `no-conductor-available` where no conductor of the group is there or could know the scheme, `unsupported` where those that are there do not.
 */
export function requireMachineDriver(ring: RingView, group: string, url: string): MachineDriver {
  const scheme = schemeOf(url);
  const offered = ring.offered();
  const takes = (driver: string, version: string): boolean =>
    schemesOf(manifestOf(ring, driver, version)).includes(scheme);
  for (const { driver } of offered) {
    const driverVersion = ring.versionsOffered(group, driver).find(version => takes(driver, version));
    if (driverVersion !== undefined) return { driver, driverVersion };
  }
  const isServed = offered.some(({ driver }) => ring.versionsOffered(group, driver).length > 0);
  const isKnown = offered.some(({ driver, versions }) => versions.some(version => takes(driver, version)));
  if (isServed && !isKnown) {
    const detail = `no driver reaches engines by URLs of the scheme ${scheme}`;
    throw new RefusedError(brokenRules([{ pointer: '/engine/url', code: 'unsupported', detail }]));
  }
  const where = group === '' ? 'the default conductor group' : `conductor group ${group}`;
  throw new RefusedError({
    code: 'no-conductor-available',
    kind: 'unavailable',
    detail: `no live conductor of ${where} reaches engines by URLs of the scheme ${scheme}`,
    extra: { served: offered },
    retryAfterMs: RETRY_MS,
  });
}
