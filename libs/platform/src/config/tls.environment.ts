import { IsIn } from 'class-validator';
import type { CertificateFiles } from '../transport/certificate-pair.js';
import type { SettingsClass } from './event-store.environment.js';
import { IsTogether } from './process.environment.js';

/** Returns a class that also has the settings of TLS: the certificate by which clients know the port of a process, and whether TLS is required. */
export function withTls<Base extends SettingsClass>(base: Base) {
  class TlsEnvironment extends base {
    /** The certificate that clients see, with its chain (PEM); with TLS_KEY_FILE. Empty: without TLS. */
    @IsTogether('TLS_KEY_FILE')
    TLS_CERT_FILE = '';

    @IsTogether('TLS_CERT_FILE')
    TLS_KEY_FILE = '';

    /** `true`: a start with a setting that needs no TLS is refused. */
    @IsIn(['true', 'false'], { message: 'must be true or false' })
    REQUIRE_TLS = 'false';
  }
  return TlsEnvironment;
}

type TlsVariables = InstanceType<ReturnType<typeof withTls<SettingsClass>>>;

/** How a process serves, and whether it starts with settings that need no TLS. */
export interface TlsSettings {
  readonly required: boolean;
  /** Absent: it serves without TLS. */
  readonly files?: CertificateFiles;
}

/** Returns the settings of TLS of an environment. */
export function tlsOf(given: TlsVariables): { readonly tls: TlsSettings } {
  const { REQUIRE_TLS, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = given;
  return { tls: { required: REQUIRE_TLS === 'true', ...(certFile && { files: { certFile, keyFile } }) } };
}
