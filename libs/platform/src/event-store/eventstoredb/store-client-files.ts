import type { ConnectionOptions } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { BadEnvironmentError } from '../../config/read-environment.js';
import type { Logger } from '../../observability/logger.js';
import { UnusableFilesError } from '../../transport/certificate-pair.js';
import {
  openStoreFiles,
  readStoreFiles,
  type StoreFileSettings,
  type StoreFiles,
  type StoreIdentity,
} from '../../transport/store-files.js';
import { BadConnectionStringError } from './connection-string.js';

const SETTINGS = 'EVENTSTORE_CA_FILE, EVENTSTORE_CERT_FILE, EVENTSTORE_KEY_FILE and EVENTSTORE_PASSWORD_FILE';
const OPTIONS = 'tlsCAFile, userCertFile and userKeyFile of EVENTSTORE_URL';

export interface ClientFilesOptions {
  /** Files in place of those that the connection string names. */
  readonly files?: StoreFileSettings;
  readonly log?: Pick<Logger, 'info' | 'error'>;
  /** Milliseconds between two reads of the files; default 5,000. */
  readonly readMs?: number;
}

/** Opens the files of a client. Throws BadConnectionStringError or BadEnvironmentError when they cannot be used. */
export function openClientFiles(connection: ConnectionOptions, given: ClientFilesOptions): StoreFiles {
  const { files = {}, log, readMs } = given;
  const isGiven = Object.values(files).some(Boolean);
  if (isGiven && connection.tls === false)
    throw new BadEnvironmentError([`${SETTINGS} need TLS, and EVENTSTORE_URL has tls=false`]);
  const all = filesOf(connection, files);
  if (isGiven) return openStoreFiles({ files: all, settings: SETTINGS, log, readMs });
  // the same error as for the rest of the connection string
  readNamedFiles(connection);
  return openStoreFiles({ files: all, settings: OPTIONS, log, readMs });
}

/** Reads the files that the connection string names. Throws BadConnectionStringError when they cannot be used. */
export function readNamedFiles(connection: ConnectionOptions): StoreIdentity {
  try {
    return readStoreFiles(filesOf(connection, {}));
  } catch (error) {
    if (!(error instanceof UnusableFilesError)) throw error;
    throw new BadConnectionStringError(`of tlsCAFile, userCertFile and userKeyFile, ${error.message}`);
  }
}

function filesOf(connection: ConnectionOptions, files: StoreFileSettings): StoreFileSettings {
  const { tls, tlsCAFile, userCertFile, userKeyFile } = connection;
  if (tls === false) return {};
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new BadConnectionStringError('userCertFile and userKeyFile must be given together');
  return {
    ...(tlsCAFile !== undefined && { caFile: tlsCAFile }),
    ...(userCertFile !== undefined && { certFile: userCertFile }),
    ...(userKeyFile !== undefined && { keyFile: userKeyFile }),
    ...files,
  };
}
