import { RefusedError } from '@stave/contracts';
import {
  capabilityRefusal,
  driverOffer,
  driverRefusal,
  driverVersionOffer,
  manifestOf,
  type DriverManifest,
  type DriverOffer,
  type Refusal,
  type RingView,
} from '@stave/domain';

/** Conductors register within seconds of their start. */
const RETRY_MS = 5_000;

/** As `driverOffer` of the domain. Throws RefusedError `no-conductor-available`. */
export const requireDriver = (ring: RingView, group: string, driver: string, recorded?: string): DriverOffer =>
  required(driverOffer(ring, group, driver, recorded));

/** As `driverVersionOffer` of the domain. Throws RefusedError `no-conductor-available`. */
export const requireVersion = (ring: RingView, group: string, driver: string, version: string): DriverOffer =>
  required(driverVersionOffer(ring, group, driver, version));

interface Operated {
  readonly group: string;
  readonly driver: string;
  /** The recorded version of the driver. */
  readonly version: string;
}

/** Returns the manifest of the version that would operate these resources; undefined while no conductor offers one. */
export function operatingManifest(ring: RingView, { group, driver, version }: Operated): DriverManifest | undefined {
  const newest = ring.newestOffered(group, driver, version);
  return newest === undefined ? undefined : manifestOf(ring, driver, newest);
}

/** As `capabilityRefusal` of the domain. Throws RefusedError `unsupported`. `what`: such as `containers`. */
export function requireCapability(ring: RingView, operated: Operated, capability: string, what: string): void {
  const refusal = capabilityRefusal(operatingManifest(ring, operated), capability, what);
  if (refusal) throw new RefusedError(refusal);
}

/** As `driverRefusal` of the domain. Throws RefusedError `driver-not-allowed`. */
export function requireAllowedDriver(ring: RingView, group: string, driver: string, projectId: string): void {
  const refusal = driverRefusal(ring, group, driver, projectId);
  if (refusal) throw new RefusedError(refusal);
}

function required(offer: DriverOffer | Refusal): DriverOffer {
  if ('manifest' in offer) return offer;
  throw new RefusedError({ ...offer, retryAfterMs: RETRY_MS });
}
