import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { CertificateAuthority } from '../description/machine-description.js';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const day = 86_400_000;

/** From when and for how many days a certificate is valid. */
export interface Validity {
  readonly from: Date;
  readonly days: number;
}

/** Whom a certificate is for. `names` are host names and IP addresses of a server; Kubernetes takes users and groups from the first two. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly names?: readonly string[];
}

/** A certificate with its key (PEM). The key is a secret. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Makes an authority of its own, with a new key: the root of a cluster, or of the API of its engines. */
export async function newAuthority(commonName: string, { from, days }: Validity): Promise<CertificateAuthority> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: nameOf({ commonName }),
    notBefore: from,
    notAfter: new Date(from.getTime() + days * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemText(certificate.toString('pem')), key: await pemOfKey('pkcs8', keys.privateKey) };
}

/** Issues a certificate with a new key, for servers, for clients, or for both. Its validity must lie within that of the authority. */
export async function issueCertificate(
  authority: CertificateAuthority,
  subject: CertificateSubject,
  usages: readonly ('server' | 'client')[],
  { from, days }: Validity,
): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.certificate);
  const extended = usages.map(usage => x509.ExtendedKeyUsage[usage === 'server' ? 'serverAuth' : 'clientAuth']);
  const names = (subject.names ?? []).map(value => ({
    type: isAddress(value) ? ('ip' as const) : ('dns' as const),
    value,
  }));
  const certificate = await x509.X509CertificateGenerator.create({
    subject: nameOf(subject),
    issuer: issuer.subjectName.toJSON(),
    notBefore: from,
    notAfter: new Date(from.getTime() + days * day),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(extended),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return { certificate: pemText(certificate.toString('pem')), key: await pemOfKey('pkcs8', keys.privateKey) };
}

/** Makes the keys by which a Kubernetes cluster signs the tokens of its service accounts (PEM). The private one is a secret. */
export async function newServiceAccountKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const keys = await newKeys();
  return { publicKey: await pemOfKey('spki', keys.publicKey), privateKey: await pemOfKey('pkcs8', keys.privateKey) };
}

/** Whether a certificate (PEM) must be issued again: at `now` it is valid for less than `days`. */
export const expiresWithin = (certificate: string, days: number, now: Date): boolean =>
  Date.parse(new X509Certificate(certificate).validTo) - now.getTime() < days * day;

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

const isAddress = (name: string): boolean => /^[0-9.]+$|:/.test(name);

const nameOf = ({ commonName, organizations = [] }: CertificateSubject): x509.JsonName => [
  { CN: [commonName] },
  ...organizations.map(organization => ({ O: [organization] })),
];

async function pemOfKey(format: 'pkcs8' | 'spki', key: webcrypto.CryptoKey): Promise<string> {
  const label = format === 'pkcs8' ? x509.PemConverter.PrivateKeyTag : x509.PemConverter.PublicKeyTag;
  return pemText(x509.PemConverter.encode(await webcrypto.subtle.exportKey(format, key), label));
}

function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), algorithm, false, ['sign']);
}

const pemText = (pem: string): string => `${pem.trim()}\n`;
