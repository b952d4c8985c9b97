import { NotReadyError, serveHealth, type HealthServer, type Messaging, type ServedCertificate } from '@stave/platform';
import type { Conductor } from './conductor.js';

/**
 * Serves the health port of a conductor, unless its port is 0. It is ready while it is registered and NATS answers. Throws
 * CannotListenError.
 */
export async function serveConductorHealth(
  address: { readonly host: string; readonly port: number },
  conductor: Pick<Conductor, 'isRegistered'>,
  messaging: Pick<Messaging, 'ping'>,
  certificate: ServedCertificate | undefined,
): Promise<HealthServer | undefined> {
  if (address.port === 0) return undefined;
  const ready = async (): Promise<Readonly<Record<string, never>>> => {
    if (!conductor.isRegistered) throw new NotReadyError({ registration: 'no service has registered this conductor' });
    await messaging.ping();
    return {};
  };
  return serveHealth(address, ready, { certificate });
}
