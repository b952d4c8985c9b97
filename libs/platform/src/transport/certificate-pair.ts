import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorCode } from '../error-code.js';

/** The files of a certificate with its chain, and of its private key, as PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What the two files contain. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** A pair that cannot be used. The message contains no part of the files. */
export class BadCertificatePairError extends Error {
  override readonly name = 'BadCertificatePairError';
}

/** Reads both files. Throws BadCertificatePairError when they cannot be read, do not parse, or do not fit each other. */
export function readPair({ certFile, keyFile }: CertificateFiles): CertificatePair {
  const pair = { cert: read(certFile, 'certificate'), key: read(keyFile, 'private key') };
  requireFit(pair);
  return pair;
}

function requireFit({ cert, key }: CertificatePair): void {
  const certificate = parsed('the certificate is not PEM', () => new X509Certificate(cert));
  const privateKey = parsed('the private key is not PEM without a passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new BadCertificatePairError('the private key does not belong to the certificate');
  // the library has limits of its own, such as for short keys
  parsed('TLS does not take the pair', () => createSecureContext({ cert, key }));
}

function parsed<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new BadCertificatePairError(`${problem} (${errorCode(error) ?? 'malformed'})`);
  }
}

function read(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BadCertificatePairError(
      `the file of the ${what} cannot be read (${errorCode(error) ?? 'unknown error'})`,
    );
  }
}
