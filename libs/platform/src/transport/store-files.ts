import { BadEnvironmentError } from '../config/read-environment.js';
import type { Logger } from '../observability/logger.js';
import { knownSecrets } from '../secrets/known-secrets.js';
import {
  readClientFiles,
  readText,
  UnusableFilesError,
  type ClientFiles,
  type ClientIdentity,
} from './certificate-pair.js';
import { WatchedFiles } from './watched-files.js';

/** The files by which a process reaches a store. A change of them renews the connections. */
export interface StoreFileSettings extends ClientFiles {
  /** The password of the user whom the connection string names. */
  readonly passwordFile?: string;
}

/** What the files contain. */
export interface StoreIdentity extends ClientIdentity {
  /** A secret. */
  readonly password?: string;
}

export type StoreFiles = WatchedFiles<StoreIdentity>;

export interface StoreFilesOptions {
  readonly files: StoreFileSettings;
  /** The settings that name the files. */
  readonly settings: string;
  readonly log?: Pick<Logger, 'info' | 'error'> | undefined;
  /** Milliseconds between two reads of the files; default 5,000. */
  readonly readMs?: number | undefined;
}

/** Opens the files. Throws BadEnvironmentError, which names their settings, when they cannot be used. */
export function openStoreFiles({ files, settings, log, readMs }: StoreFilesOptions): StoreFiles {
  try {
    return new WatchedFiles({ read: () => readStoreFiles(files), settings, log, readMs });
  } catch (error) {
    if (!(error instanceof UnusableFilesError)) throw error;
    throw new BadEnvironmentError([`${settings}: ${error.message}`]);
  }
}

/** Reads the files. Throws UnusableFilesError. */
export function readStoreFiles({ passwordFile, ...files }: StoreFileSettings): StoreIdentity {
  const identity = readClientFiles(files);
  if (!passwordFile) return identity;
  const password = readText(passwordFile, 'password').trim();
  if (password === '') throw new UnusableFilesError('the file of the password is empty');
  knownSecrets.learn(password);
  return { ...identity, password };
}
