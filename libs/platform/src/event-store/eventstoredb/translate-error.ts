import {
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { EventStoreUnavailableError, WrongExpectedRevisionError, type ExpectedRevision } from '../event-store.port.js';

/** Errors that neither waiting nor repeating resolves. */
const FINAL: ReadonlySet<string> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.STREAM_DELETED,
  ErrorType.UNSUPPORTED,
]);

/** Translates an error of an append to the port's errors. */
export function translateAppendError(error: unknown, stream: string, expected: ExpectedRevision): unknown {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no_stream';
    return new WrongExpectedRevisionError(stream, expected, actual);
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new RangeError(`an append to ${stream} has more than ${error.maxAppendSize} bytes`, { cause: error });
  }
  return translateError(error);
}

/**
 * Translates errors of the connection, including gRPC errors that the client passes through, to
 * EventStoreUnavailableError.
 */
export function translateError(error: unknown): unknown {
  if (error instanceof EventStoreUnavailableError || !(error instanceof Error)) return error;
  if (isCommandError(error) && FINAL.has(error.type)) return error;
  if (!isCommandError(error) && !('code' in error)) return error;
  return new EventStoreUnavailableError(`EventStoreDB: ${error.message || error.constructor.name}`, { cause: error });
}
