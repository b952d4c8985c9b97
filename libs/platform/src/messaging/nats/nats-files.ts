import { nkeys, type TlsOptions } from 'nats';
import { BadEnvironmentError } from '../../config/read-environment.js';
import type { Logger } from '../../observability/logger.js';
import { knownSecrets } from '../../secrets/known-secrets.js';
import {
  readClientFiles,
  readText,
  UnusableFilesError,
  type ClientFiles,
  type ClientIdentity,
} from '../../transport/certificate-pair.js';
import { WatchedFiles } from '../../transport/watched-files.js';

const SETTINGS = 'NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE and NATS_NKEY_FILE';

/** The files by which a process proves to NATS who it is. A change of them reconnects. */
export interface NatsFileSettings extends ClientFiles {
  /** The seed of an nkey. */
  readonly nkeyFile?: string;
  /** Milliseconds between two reads of the files; default 5,000. */
  readonly readMs?: number;
}

/** What the files contain. */
export interface NatsIdentity extends ClientIdentity {
  /** The seed of an nkey, a secret. */
  readonly nkey?: string;
}

export type NatsFiles = WatchedFiles<NatsIdentity>;

/** Opens the files. Throws BadEnvironmentError, which names their settings, when they cannot be used. */
export function openNatsFiles(settings: NatsFileSettings, log: Pick<Logger, 'info' | 'error'> | undefined): NatsFiles {
  try {
    return new WatchedFiles({ read: () => readFiles(settings), settings: SETTINGS, log, readMs: settings.readMs });
  } catch (error) {
    if (!(error instanceof UnusableFilesError)) throw error;
    throw new BadEnvironmentError([`${SETTINGS}: ${error.message}`]);
  }
}

function readFiles(settings: NatsFileSettings): NatsIdentity {
  const identity = readClientFiles(settings);
  if (!settings.nkeyFile) return identity;
  const nkey = readText(settings.nkeyFile, 'nkey').trim();
  knownSecrets.learn(nkey);
  try {
    nkeys.fromSeed(Buffer.from(nkey)).getPublicKey();
  } catch {
    // the error may quote the seed
    throw new UnusableFilesError('the file of the nkey has no seed');
  }
  return { ...identity, nkey };
}

/** The options of TLS, which the client reads at each attempt to connect. Undefined where TLS is left to the server. */
export function tlsOptions(files: NatsFiles, required: boolean): TlsOptions | undefined {
  const { ca, cert } = files.current;
  if (!required && ca === undefined && cert === undefined) return undefined;
  return {
    get ca() {
      return files.current.ca;
    },
    get cert() {
      return files.current.cert;
    },
    get key() {
      return files.current.key;
    },
  } as TlsOptions;
}
