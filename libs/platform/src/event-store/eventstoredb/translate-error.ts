import {
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { EventStoreUnavailableError, WrongExpectedRevisionError, type ExpectedRevision } from '../event-store.port.js';

/** What no waiting or repeating will mend. */
const FINAL: ReadonlySet<string> = new Set([
  ErrorType.ACCESS_DENIED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.STREAM_DELETED,
  ErrorType.UNSUPPORTED,
]);

/** The client's errors in the port's terms; those of a refused append need to know which it was. */
export function translateAppendError(error: unknown, stream: string, expected: ExpectedRevision): unknown {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no_stream';
    return new WrongExpectedRevisionError(stream, expected, actual);
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new RangeError(`append to ${stream}: more than ${error.maxAppendSize} bytes`, { cause: error });
  }
  return translateError(error);
}

/** Everything about the connection becomes EventStoreUnavailableError, also gRPC errors the client passes on as they are. */
export function translateError(error: unknown): unknown {
  if (error instanceof EventStoreUnavailableError || !(error instanceof Error)) return error;
  if (isCommandError(error) && FINAL.has(error.type)) return error;
  if (!isCommandError(error) && !('code' in error)) return error;
  return new EventStoreUnavailableError(`EventStoreDB: ${error.message || error.constructor.name}`, { cause: error });
}
