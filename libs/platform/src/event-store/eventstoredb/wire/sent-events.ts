import type { NewEvent } from '../../event-store.port.js';
import { requireAppend, storedBytes } from '../../embedded/event.codec.js';

/** An event to append whose data and metadata are JSON already: it is converted once, however often it is sent. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  readonly dataBytes: number;
  readonly metadataBytes: number;
}

/** Converts the events of an append, which it validates as the embedded store does. Throws RangeError. */
export function sentEvents(stream: string, events: readonly NewEvent[]): readonly SentEvent[] {
  const sent = events.map(sentEvent);
  requireAppend(stream, events, sent.map(storedBytes));
  return sent;
}

function sentEvent(event: NewEvent): SentEvent {
  const [data, metadata] = [JSON.stringify(event.data), JSON.stringify(event.metadata)];
  const [dataBytes, metadataBytes] = [Buffer.byteLength(data), Buffer.byteLength(metadata)];
  return { id: event.id, type: event.type, data, metadata, dataBytes, metadataBytes };
}
