import { MongoClient, type MongoClientOptions } from 'mongodb';
import { omitUndefined } from '@stave/domain';
import { BadEnvironmentError } from '../../config/read-environment.js';
import type { Logger } from '../../observability/logger.js';
import {
  openStoreFiles,
  type StoreFileSettings,
  type StoreFiles,
  type StoreIdentity,
} from '../../transport/store-files.js';

const SETTINGS = 'MONGODB_CA_FILE, MONGODB_CERT_FILE, MONGODB_KEY_FILE and MONGODB_PASSWORD_FILE';
const OPTIONS = 'tlsCAFile and tlsCertificateKeyFile of MONGODB_URL';

export interface MongoFilesOptions {
  /** A connection string such as `mongodb://host:port`. */
  readonly url: string;
  /** Files in place of those that the connection string names. */
  readonly files?: StoreFileSettings;
  readonly log?: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Milliseconds between two reads of the files; default 5,000. */
  readonly readMs?: number;
}

/** What the files of MongoDB's client contain, read again while the process runs: the driver reads them once. */
export class MongoFiles {
  private readonly watched: StoreFiles;
  private readonly user: string | undefined;
  private readonly needsTls: boolean;

  /** Throws BadEnvironmentError when the files cannot be used, and an error of the driver for a malformed connection string. */
  constructor({ url, files = {}, log, readMs }: MongoFilesOptions) {
    const { tlsCAFile, tlsCertificateKeyFile, passphrase: ofUrl } = new MongoClient(url).options;
    const isGiven = Object.values(files).some(Boolean);
    const { certFile, keyFile = certFile } = omitUndefined({ certFile: tlsCertificateKeyFile, ...files });
    this.user = files.passwordFile ? userIn(url) : undefined;
    this.needsTls = Boolean(files.caFile ?? files.certFile);
    const passphrase = files.certFile ? undefined : ofUrl;
    const all = { caFile: tlsCAFile, ...files, certFile, keyFile, passphrase };
    const settings = isGiven ? SETTINGS : OPTIONS;
    this.watched = openStoreFiles({ files: omitUndefined(all), settings, log, readMs });
  }

  /** The options of a client with what the files contain now. */
  get options(): MongoClientOptions {
    const { ca, cert, key, password }: StoreIdentity = this.watched.current;
    return omitUndefined({
      ca,
      cert,
      key,
      tls: this.needsTls || undefined,
      auth: password === undefined ? undefined : omitUndefined({ username: this.user, password }),
    });
  }

  onChange(listener: () => void): void {
    this.watched.onChange(listener);
  }

  close(): void {
    this.watched.close();
  }
}

/** Returns the user of a connection string that has no password. */
function userIn(url: string): string {
  const user = /^mongodb(?:\+srv)?:\/\/([^@/:]+)@/i.exec(url.trim())?.[1];
  if (user) return decodeURIComponent(user);
  throw new BadEnvironmentError(['MONGODB_PASSWORD_FILE needs a user, and no password, in MONGODB_URL']);
}
