import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { DocumentStoreUnavailableError } from '../document-store.port.js';

const DUPLICATE_KEY = 11000;

/** Returns whether a write failed only because the `_id` exists, for a guarded write perhaps in a newer document. */
export function isDuplicateKey(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    return (
      failures.length > 0 &&
      failures.every(({ code }) => code === DUPLICATE_KEY) &&
      error.result.getWriteConcernError() === undefined
    );
  }
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

const BROKEN_CONNECTION = /^(ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/;
/** The names of errors of the driver that a later attempt may not meet. */
const UNAVAILABLE =
  /^Mongo(NotConnected|TopologyClosed|PoolClosed|PoolCleared|WaitQueueTimeout|OperationTimeout|ExpiredSession|ClientClosed)Error$/;

function isUnavailable(error: unknown): boolean {
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (error instanceof MongoError) return UNAVAILABLE.test(error.name) || error.hasErrorLabel('RetryableWriteError');
  return typeof error === 'object' && error !== null && 'code' in error && BROKEN_CONNECTION.test(String(error.code));
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
