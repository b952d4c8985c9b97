import type { SecureContextOptions } from 'node:tls';
import { BadEnvironmentError } from '../config/read-environment.js';
import type { Logger } from '../observability/logger.js';
import { UnusableFilesError, readPair, type CertificateFiles, type CertificatePair } from './certificate-pair.js';
import { WatchedFiles } from './watched-files.js';

const SETTINGS = 'TLS_CERT_FILE and TLS_KEY_FILE';

/** A server whose certificate can be exchanged while it runs. */
export interface SecureServer {
  setSecureContext(options: SecureContextOptions): void;
}

export interface ServedCertificateOptions extends CertificateFiles {
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Milliseconds between two reads of the files; default 5,000. */
  readonly readMs?: number;
}

/** Opens the certificate of the files; undefined without files. Throws BadEnvironmentError. */
export const openCertificate = (
  files: CertificateFiles | undefined,
  log: ServedCertificateOptions['log'],
): ServedCertificate | undefined => (files ? ServedCertificate.open({ ...files, log }) : undefined);

/** The certificate that a process shows to its clients, taken again from its files when they change. */
export class ServedCertificate {
  private constructor(private readonly files: WatchedFiles<CertificatePair>) {}

  /** Throws BadEnvironmentError, which names TLS_CERT_FILE and TLS_KEY_FILE, when the pair cannot be used. */
  static open({ log, readMs, ...files }: ServedCertificateOptions): ServedCertificate {
    try {
      return new ServedCertificate(new WatchedFiles({ read: () => readPair(files), settings: SETTINGS, log, readMs }));
    } catch (error) {
      if (!(error instanceof UnusableFilesError)) throw error;
      throw new BadEnvironmentError([`${SETTINGS}: ${error.message}`]);
    }
  }

  /** What a server is made with: TLS 1.2 and up. */
  get serverOptions(): SecureContextOptions {
    return { ...this.files.current, minVersion: 'TLSv1.2' };
  }

  /** Gives the server each new pair. Connections that are open keep theirs. */
  serve(server: SecureServer): void {
    this.files.onChange(() => server.setSecureContext(this.serverOptions));
  }

  close(): void {
    this.files.close();
  }
}
