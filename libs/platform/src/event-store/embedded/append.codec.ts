import type { NewEvent } from '../event-store.port.js';
import { encodeEvent, ID_BYTES, MAX_APPEND_BYTES } from './event.codec.js';
import { MAX_STREAM_BYTES } from './frame.codec.js';

/** Checks what one append may hold and encodes its events. Throws RangeError. */
export function encodeAppend(stream: string, events: readonly NewEvent[]): Buffer[] {
  if (events.length === 0) throw new RangeError(`append to ${stream}: no events`);
  if (stream === '' || stream.startsWith('$')) throw new RangeError(`not a stream to append to: "${stream}"`);
  if (Buffer.byteLength(stream) > MAX_STREAM_BYTES) throw new RangeError('stream name is too long');
  const encoded = events.map(encodeEvent);
  const bytes = encoded.reduce((sum, event) => sum + event.length, 0);
  if (bytes > MAX_APPEND_BYTES)
    throw new RangeError(`append to ${stream}: ${bytes} bytes, at most ${MAX_APPEND_BYTES}`);
  const ids = new Set(encoded.map(event => event.toString('latin1', 0, ID_BYTES)));
  if (ids.size < encoded.length) throw new RangeError(`append to ${stream}: two events with the same id`);
  return encoded;
}
