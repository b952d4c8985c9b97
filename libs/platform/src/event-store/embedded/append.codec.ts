import type { NewEvent } from '../event-store.port.js';
import { encodeEvent, ID_BYTES, MAX_APPEND_BYTES } from './event.codec.js';
import { MAX_STREAM_BYTES } from './frame.codec.js';

/** Validates an append and encodes its events. Throws RangeError when a limit is exceeded. */
export function encodeAppend(stream: string, events: readonly NewEvent[]): Buffer[] {
  if (events.length === 0) throw new RangeError(`an append to ${stream} has no events`);
  if (stream === '' || stream.startsWith('$'))
    throw new RangeError(`events cannot be appended to the stream "${stream}"`);
  if (Buffer.byteLength(stream) > MAX_STREAM_BYTES)
    throw new RangeError(`a stream name has at most ${MAX_STREAM_BYTES} bytes`);
  const encoded = events.map(encodeEvent);
  const bytes = encoded.reduce((sum, event) => sum + event.length, 0);
  if (bytes > MAX_APPEND_BYTES)
    throw new RangeError(`an append to ${stream} has ${bytes} bytes; the limit is ${MAX_APPEND_BYTES}`);
  const ids = new Set(encoded.map(event => event.toString('latin1', 0, ID_BYTES)));
  if (ids.size < encoded.length) throw new RangeError(`an append to ${stream} has two events with the same id`);
  return encoded;
}
