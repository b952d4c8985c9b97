import { isUuid } from '@stave/domain';
import type { EventMetadata, NewEvent } from '../event-store.port.js';
import { MAX_STREAM_BYTES } from './frame.codec.js';

/** The bytes of an event's id in the log. */
export const ID_BYTES = 16;

/** The bytes of an event's JSON in the log beside its type, data and metadata. */
const EMPTY_BODY_BYTES = '{"type":,"data":,"metadata":}'.length;

/** The maximum bytes of data, metadata and types in one append; equals the default limit of EventStoreDB. */
const MAX_APPEND_BYTES = 1_048_576;

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

function requireUuid(id: string): void {
  if (!isUuid(id)) throw new RangeError(`event id is not a UUID: ${JSON.stringify(id)}`);
}

/** Returns the 16 bytes of an id. Throws RangeError unless it is a UUID. */
function encodeId(id: string): Buffer {
  requireUuid(id);
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

const idText = Buffer.from('00000000-0000-0000-0000-000000000000');
const hexDigits = Buffer.from('0123456789abcdef');
/** The places of the digits in the text of an id. */
const digitPlaces = [...idText.keys()].filter(at => idText.toString('latin1', at, at + 1) !== '-');

/** Writes the digits into one text: an id that is joined of parts stays in memory as all of them. */
function decodeId(bytes: Buffer, at: number): string {
  for (let digit = 0; digit < digitPlaces.length; digit++) {
    const byte = bytes[at + (digit >> 1)] ?? 0;
    idText[digitPlaces[digit] ?? 0] = hexDigits[digit % 2 === 0 ? byte >> 4 : byte & 15] ?? 0;
  }
  return idText.toString('latin1');
}

/** Encodes an event as 16 bytes of id, then JSON in UTF-8. */
function encodeEvent(event: NewEvent): Buffer {
  const json = JSON.stringify({ type: event.type, data: event.data, metadata: event.metadata });
  return Buffer.concat([encodeId(event.id), Buffer.from(json, 'utf8')]);
}

/** Validates an append and encodes its events. Throws RangeError when a limit is exceeded. */
export function encodeAppend(stream: string, events: readonly NewEvent[]): Buffer[] {
  const encoded = events.map(encodeEvent);
  requireAppend(
    stream,
    events,
    encoded.map(event => event.length),
  );
  return encoded;
}

/** Returns the bytes that an event takes in the log, of which data and metadata are JSON. */
export const storedBytes = (event: {
  readonly type: string;
  readonly dataBytes: number;
  readonly metadataBytes: number;
}) =>
  ID_BYTES + EMPTY_BODY_BYTES + Buffer.byteLength(JSON.stringify(event.type)) + event.dataBytes + event.metadataBytes;

/** Validates an append whose events take these bytes in the log. Throws RangeError when a limit is exceeded. */
export function requireAppend(
  stream: string,
  events: readonly { readonly id: string }[],
  sizes: readonly number[],
): void {
  if (events.length === 0) throw new RangeError(`an append to ${stream} has no events`);
  if (stream === '' || stream.startsWith('$'))
    throw new RangeError(`events cannot be appended to the stream "${stream}"`);
  if (Buffer.byteLength(stream) > MAX_STREAM_BYTES)
    throw new RangeError(`a stream name has at most ${MAX_STREAM_BYTES} bytes`);
  for (const { id } of events) requireUuid(id);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_APPEND_BYTES)
    throw new RangeError(`an append to ${stream} has ${bytes} bytes; the limit is ${MAX_APPEND_BYTES}`);
  if (events.length > 1 && new Set(events.map(({ id }) => id.toLowerCase())).size < events.length)
    throw new RangeError(`an append to ${stream} has two events with the same id`);
}

/** Decodes the event between `start` and `end` of `bytes`. */
export function decodeEvent(bytes: Buffer, start = 0, end = bytes.length): EventBody {
  const body: Omit<EventBody, 'id'> = JSON.parse(bytes.toString('utf8', start + ID_BYTES, end));
  return { id: decodeId(bytes, start), type: body.type, data: body.data, metadata: body.metadata };
}
