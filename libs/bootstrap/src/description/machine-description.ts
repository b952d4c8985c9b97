/** An operating system whose images this library sets up. */
export type OperatingSystem = 'debian' | 'ubuntu' | 'fedora' | 'fedora-coreos';

/** A repository of packages: of apt, with `suite` and `components`, or of dnf, without. */
export interface PackageRepository {
  /** Names its files on the machine. */
  readonly name: string;
  readonly url: string;
  /** Of apt; a suite that ends in `/` has no components. */
  readonly suite?: string;
  readonly components?: readonly string[];
  /** The armored public key that signs it. */
  readonly signingKey: string;
}

/** A file that the machine downloads and accepts only with this content. */
export interface DownloadedFile {
  readonly url: string;
  /** The SHA-256 of the content, in hexadecimal digits. */
  readonly sha256: string;
  /** Where it is installed; with `unpack` the directory into which the archive is unpacked. */
  readonly path: string;
  readonly unpack?: boolean;
}

/**
 * Where the programs of the engine are from: the image of the node has them (`installed`); packages of the distribution and of further
 * repositories (`packages`); files (`files`), the only way beside `installed` for Fedora CoreOS.
 */
export type SoftwareSource =
  | { readonly kind: 'installed' }
  | { readonly kind: 'packages'; readonly repositories?: readonly PackageRepository[] }
  | { readonly kind: 'files'; readonly files: readonly DownloadedFile[] };

/**
 * How the node reports that it is ready, beside the file `/var/lib/stave/outcome`. `heat`: the attributes `endpoint` and `token` of the
 * handle of a wait condition, or placeholders such as `__SIGNAL_TOKEN__` that the template replaces in the document with them.
 */
export type ReadinessSignal =
  { readonly kind: 'file' } | { readonly kind: 'heat'; readonly endpoint: string; readonly token: string };

/** What every node has, whatever its engine. */
export interface MachineDescription {
  readonly os: OperatingSystem;
  /** The name of the machine and of the node in its engine. */
  readonly hostname: string;
  /** The IPv4 address at which other nodes reach this one; absent: the one from which it reaches others. */
  readonly address?: string;
  /** Public keys for SSH of the image's default user. */
  readonly authorizedKeys?: readonly string[];
  readonly proxy?: { readonly http?: string; readonly https?: string; readonly noProxy?: readonly string[] };
  /** Certificates (PEM) of authorities that the machine trusts beside its own. */
  readonly trustedAuthorities?: readonly string[];
  readonly software: SoftwareSource;
  readonly readiness: ReadinessSignal;
  /** How long a step waits for the engine. Default: 600. */
  readonly readyTimeoutSeconds?: number;
}

/** An authority of certificates, in PEM. The key is a secret. */
export interface CertificateAuthority {
  readonly certificate: string;
  readonly key: string;
}
