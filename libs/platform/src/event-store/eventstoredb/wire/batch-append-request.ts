import type { ExpectedRevision } from '../../event-store.port.js';
import { FieldWriter } from './field-writer.js';
import type { SentEvent } from './sent-events.js';

/** Fields of BatchAppendReq and of the messages within it, by their numbers in the protocol. */
const Request = { correlationId: 1, options: 2, messages: 3, isFinal: 4 } as const;
const Options = { stream: 1, position: 2, noStream: 3, any: 4 } as const;
const Message = { id: 1, system: 2, metadata: 3, data: 4 } as const;
const Uuid = { text: 2 } as const;
const StreamIdentifier = { name: 3 } as const;
const MapEntry = { key: 1, value: 2 } as const;

/** More bytes than a request has, or than it has for each of its events, beside the texts that are counted. */
const FRAME_BYTES = 256;

/**
 * Encodes the one message of an append. It carries no deadline: the server compares it with its own clock, and a clock
 * that is ahead would refuse every append.
 */
export function batchAppendRequest(
  correlationId: string,
  stream: string,
  events: readonly SentEvent[],
  expected: ExpectedRevision,
): Buffer {
  const texts = events.reduce((sum, event) => sum + bytesOf(event), 3 * stream.length + 3 * correlationId.length);
  const to = new FieldWriter(texts + FRAME_BYTES * (1 + events.length));
  to.number(Request.isFinal, 1);
  for (const event of events.toReversed()) to.message(Request.messages, () => writeMessage(to, event));
  to.message(Request.options, () => writeOptions(to, stream, expected));
  to.message(Request.correlationId, () => to.text(Uuid.text, correlationId));
  return to.finish();
}

const bytesOf = ({ id, type, dataBytes, metadataBytes }: SentEvent): number =>
  3 * id.length + 3 * type.length + dataBytes + metadataBytes;

function writeOptions(to: FieldWriter, stream: string, expected: ExpectedRevision): void {
  const nothing = (): void => undefined;
  if (expected === 'any') to.message(Options.any, nothing);
  else if (expected === 'no_stream') to.message(Options.noStream, nothing);
  else to.number(Options.position, expected);
  to.message(Options.stream, () => to.text(StreamIdentifier.name, stream));
}

function writeMessage(to: FieldWriter, { id, type, data, metadata, dataBytes, metadataBytes }: SentEvent): void {
  to.text(Message.data, data, dataBytes);
  to.text(Message.metadata, metadata, metadataBytes);
  to.message(Message.system, () => writeEntry(to, 'content-type', 'application/json'));
  to.message(Message.system, () => writeEntry(to, 'type', type));
  to.message(Message.id, () => to.text(Uuid.text, id));
}

function writeEntry(to: FieldWriter, key: string, value: string): void {
  to.text(MapEntry.value, value);
  to.text(MapEntry.key, key);
}
