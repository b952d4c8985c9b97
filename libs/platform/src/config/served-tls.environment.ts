import { IsTogether } from './process.environment.js';
import type { SettingsClass } from './event-store.environment.js';

/** Returns a class that also has the settings of the certificate by which clients know the port of a process. */
export function withServedTls<Base extends SettingsClass>(base: Base) {
  class ServedTlsEnvironment extends base {
    /** The certificate that clients see, with its chain (PEM); with TLS_KEY_FILE. Empty: without TLS. */
    @IsTogether('TLS_KEY_FILE')
    TLS_CERT_FILE = '';

    @IsTogether('TLS_CERT_FILE')
    TLS_KEY_FILE = '';
  }
  return ServedTlsEnvironment;
}
