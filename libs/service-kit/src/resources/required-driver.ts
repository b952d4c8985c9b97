import { RefusedError } from '@stave/contracts';
import { driverOffer, driverVersionOffer, type DriverOffer, type Refusal, type RingView } from '@stave/domain';

/** Conductors register within seconds of their start. */
const RETRY_MS = 5_000;

/** As `driverOffer` of the domain. Throws RefusedError `no-conductor-available`. */
export const requireDriver = (ring: RingView, group: string, driver: string, recorded?: string): DriverOffer =>
  required(driverOffer(ring, group, driver, recorded));

/** As `driverVersionOffer` of the domain. Throws RefusedError `no-conductor-available`. */
export const requireVersion = (ring: RingView, group: string, driver: string, version: string): DriverOffer =>
  required(driverVersionOffer(ring, group, driver, version));

function required(offer: DriverOffer | Refusal): DriverOffer {
  if ('manifest' in offer) return offer;
  throw new RefusedError({ ...offer, retryAfterMs: RETRY_MS });
}
