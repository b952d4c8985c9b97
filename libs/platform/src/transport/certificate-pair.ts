import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { errorCode } from '../error-code.js';

/** The files of a certificate with its chain, and of its private key, as PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Of the private key; absent: it has none. */
  readonly passphrase?: string | undefined;
}

/** What the two files contain. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** Files that cannot be used. The message contains no part of the files. */
export class UnusableFilesError extends Error {
  override readonly name = 'UnusableFilesError';
}

/** Reads both files. Throws UnusableFilesError when they cannot be read, do not parse, or do not fit each other. */
export function readPair({ certFile, keyFile, passphrase }: CertificateFiles): CertificatePair {
  const pair = { cert: readText(certFile, 'certificate'), key: readText(keyFile, 'private key') };
  requireFit(pair, passphrase);
  return pair;
}

/** The files by which a client of a server proves who it is, and knows whom to trust; each is optional. */
export interface ClientFiles {
  /** Authorities that sign the server's certificate, in place of those of Node.js. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Of the private key; absent: it has none. */
  readonly passphrase?: string;
}

/** What the files of a client contain. */
export interface ClientIdentity {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads the files of a client. Throws UnusableFilesError. */
export function readClientFiles({ caFile, certFile, keyFile, passphrase }: ClientFiles): ClientIdentity {
  const pair = certFile && keyFile ? readPair({ certFile, keyFile, passphrase }) : {};
  if (!caFile) return pair;
  const ca = readText(caFile, 'authority');
  parsed('the authority is not PEM', () => new X509Certificate(ca));
  return { ca, ...pair };
}

function requireFit({ cert, key }: CertificatePair, passphrase: string | undefined): void {
  const certificate = parsed('the certificate is not PEM', () => new X509Certificate(cert));
  const privateKey = parsed(
    passphrase === undefined
      ? 'the private key is not PEM without a passphrase'
      : 'the private key is not PEM with this passphrase',
    () => createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) }),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new UnusableFilesError('the private key does not belong to the certificate');
  // the library has limits of its own, such as for short keys
  parsed('TLS does not take the pair', () => createSecureContext({ cert, key, passphrase }));
}

function parsed<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UnusableFilesError(`${problem} (${errorCode(error) ?? 'malformed'})`);
  }
}

/** Returns the content of a file. Throws UnusableFilesError, which calls it `what`. */
export function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UnusableFilesError(`the file of the ${what} cannot be read (${errorCode(error) ?? 'unknown error'})`);
  }
}
