import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;

/** A certificate with its key (PEM). */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority of tests, which issues certificates for servers and clients. */
export class TestAuthority {
  private constructor(
    readonly cert: string,
    private readonly issuer: x509.X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
  ) {}

  static async create(commonName = 'Stave test authority'): Promise<TestAuthority> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: [{ CN: [commonName] }],
      ...validity(),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new TestAuthority(pem(certificate.toString('pem')), certificate, keys);
  }

  /** Issues a certificate that serves as server and as client: for `commonName`, and on these host names and addresses. */
  async issue(commonName: string, names: readonly string[] = ['localhost', '127.0.0.1']): Promise<TestCertificate> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject: [{ CN: [commonName] }],
      issuer: this.issuer.subjectName.toJSON(),
      ...validity(),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
        new x509.SubjectAlternativeNameExtension(
          names.map(value => ({ type: /^[0-9.]+$/.test(value) ? 'ip' : 'dns', value })),
        ),
      ],
    });
    const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return {
      cert: pem(certificate.toString('pem')),
      key: pem(x509.PemConverter.encode(key, x509.PemConverter.PrivateKeyTag)),
    };
  }

  /** Issues a certificate into `<name>.pem` and `<name>.key` of a directory, and returns these files with the authority's, `ca.pem`. */
  async write(
    directory: string,
    name: string,
    names?: readonly string[],
  ): Promise<{ readonly caFile: string; readonly certFile: string; readonly keyFile: string }> {
    const { cert, key } = await this.issue(name, names);
    const files = {
      caFile: join(directory, 'ca.pem'),
      certFile: join(directory, `${name}.pem`),
      keyFile: join(directory, `${name}.key`),
    };
    await Promise.all([
      writeFile(files.caFile, this.cert),
      writeFile(files.certFile, cert),
      writeFile(files.keyFile, key, { mode: 0o600 }),
    ]);
    return files;
  }
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

const validity = (): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() - DAY),
  notAfter: new Date(Date.now() + 30 * DAY),
});

const pem = (text: string): string => `${text.trim()}\n`;
