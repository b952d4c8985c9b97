import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { errorCode } from '../../error-code.js';
import { DocumentStoreUnavailableError } from '../document-store.port.js';

const DUPLICATE_KEY = 11000;

/**
 * Codes with which a server says that it is not the primary, shuts down, or did not reach enough members in time: the
 * driver finds the next primary, and a later attempt may succeed.
 */
const LATER_CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10058, // NotPrimary of old servers
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
]);

/** Returns whether a write failed only because the `_id` exists, for a guarded write perhaps in a newer document. */
export function isDuplicateKey(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    const failures = writeErrorsOf(error);
    return (
      failures.length > 0 &&
      failures.every(({ code }) => code === DUPLICATE_KEY) &&
      error.result.getWriteConcernError() === undefined
    );
  }
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Returns which writes of a bulk of replacements and removals failed, by their places; undefined when the server left out
 * others besides, as FerretDB does after the first that fails.
 */
export function failedPlaces(error: unknown, replacements: number): ReadonlySet<number> | undefined {
  if (!(error instanceof MongoBulkWriteError)) return undefined;
  const places = new Set(writeErrorsOf(error).map(({ index }) => index));
  return error.matchedCount + error.upsertedCount + places.size < replacements ? undefined : places;
}

const writeErrorsOf = ({ writeErrors }: MongoBulkWriteError) =>
  Array.isArray(writeErrors) ? writeErrors : [writeErrors];

const BROKEN_CONNECTION = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
/** The names of errors of the driver that a later attempt may not meet. */
const UNAVAILABLE =
  /^Mongo(NotConnected|TopologyClosed|PoolClosed|PoolCleared|WaitQueueTimeout|OperationTimeout|ExpiredSession|ClientClosed)Error$/;

function isUnavailable(error: unknown): boolean {
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (error instanceof MongoError)
    return UNAVAILABLE.test(error.name) || error.hasErrorLabel('RetryableWriteError') || saysLater(error);
  return BROKEN_CONNECTION.test(String(errorCode(error)));
}

function saysLater(error: MongoError): boolean {
  if (LATER_CODES.has(error.code)) return true;
  return error instanceof MongoBulkWriteError && LATER_CODES.has(error.result.getWriteConcernError()?.code);
}

/** Runs an operation of the driver. Throws DocumentStoreUnavailableError when the server is unavailable. */
export async function translated<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const reason = error instanceof Error ? error.message : 'no reason given';
    throw new DocumentStoreUnavailableError(`MongoDB is not available: ${reason}`, { cause: error });
  }
}
