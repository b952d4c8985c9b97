import {
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
  type AllStreamResolvedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';
import {
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type EventMetadata,
  type ExpectedRevision,
  type RecordedEvent,
} from '../event-store.port.js';

/** Converts an event of the client. Returns undefined for system events and for links to deleted events. */
export function recordedEvent(resolved: ResolvedEvent | AllStreamResolvedEvent): RecordedEvent | undefined {
  const event = resolved.event;
  if (!event || event.streamId.startsWith('$')) return undefined;
  const position = event.position?.commit ?? resolved.commitPosition;
  if (position === undefined) return undefined;
  const metadata: unknown = event.metadata ?? {};
  return {
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: metadata as EventMetadata, // other writers may omit members
    stream: event.streamId,
    revision: Number(event.revision),
    position: Number(position),
  };
}

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

/** Translates errors of the connection, including gRPC errors, to EventStoreUnavailableError. */
export function translateError(error: unknown): unknown {
  if (error instanceof EventStoreUnavailableError || !(error instanceof Error)) return error;
  if (isCommandError(error) && FINAL.has(error.type)) return error;
  if (!isCommandError(error) && !('code' in error)) return error;
  return new EventStoreUnavailableError(`EventStoreDB: ${error.message || error.constructor.name}`, { cause: error });
}
