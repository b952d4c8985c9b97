import {
  convertToCommandError,
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
  type AllStreamResolvedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  EventStoreRefusedError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type EventMetadata,
  type ExpectedRevision,
  type RecordedEvent,
} from '../event-store.port.js';
import type { StreamNames } from './stream-names.js';

/** Converts an event of the client. Returns undefined for links, and for events of other installations or the server. */
export function recordedEvent(
  { event, commitPosition }: ResolvedEvent | AllStreamResolvedEvent,
  names: StreamNames,
): RecordedEvent | undefined {
  const stream = event && names.own(event.streamId);
  if (!event || stream === undefined || event.type.startsWith('$')) return undefined;
  const position = event.position?.commit ?? commitPosition;
  if (position === undefined) return undefined;
  const metadata: unknown = event.metadata ?? {};
  return {
    id: event.id,
    type: event.type,
    data: event.data,
    metadata: metadata as EventMetadata, // other writers may omit members
    stream,
    revision: Number(event.revision),
    position: Number(position),
  };
}

/** As `recordedEvent`, of an event as the server sent it. */
export function receivedEvent(resolved: ReadResp.ReadEvent, names: StreamNames): RecordedEvent | undefined {
  const event = resolved.getEvent();
  if (!event) return undefined;
  const stream = names.own(textOf(event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()));
  const type = event.getMetadataMap().get('type') ?? '';
  if (stream === undefined || type.startsWith('$')) return undefined;
  const metadata = event.getCustomMetadata_asU8();
  return {
    id: event.getId()?.getString() ?? '',
    type,
    data: parsed(event.getData_asU8()),
    metadata: (metadata.length === 0 ? {} : parsed(metadata)) as EventMetadata, // other writers may omit members
    stream,
    revision: Number(event.getStreamRevision()),
    position: Number(event.getCommitPosition()),
  };
}

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** Returns the text itself where it is not JSON: other writers may use the server. */
function parsed(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Errors that neither waiting nor repeating resolves. */
const FINAL: ReadonlySet<string> = new Set([
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.STREAM_DELETED,
  ErrorType.UNSUPPORTED,
  ErrorType.WRONG_EXPECTED_VERSION,
]);

const DENIED =
  'EventStoreDB denies access: check user and password in EVENTSTORE_URL, and that the user may read $all and write the streams';
const UNTRUSTED = 'the certificate of EventStoreDB is not trusted: check tls and tlsCAFile in EVENTSTORE_URL';
const BAD_CERTIFICATE = /certificate|self.signed|altnames/i;

/** The client reports a discovery without a result as an ordinary Error. */
const DISCOVERY_FAILED = /^Failed to discover after/;

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
  const command = convertToCommandError(error);
  if (isCommandError(command) && command.type === ErrorType.ACCESS_DENIED) return new EventStoreRefusedError(DENIED);
  if (BAD_CERTIFICATE.test(error.message)) return new EventStoreRefusedError(`${UNTRUSTED}: ${error.message}`);
  if (isCommandError(command) && FINAL.has(command.type)) return command;
  if (!isCommandError(command) && !('code' in error) && !DISCOVERY_FAILED.test(error.message)) return error;
  return new EventStoreUnavailableError(`EventStoreDB: ${error.message || error.constructor.name}`, { cause: error });
}
