import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { FieldWriter, type RecordedEvent } from '@stave/platform';

const TICKS_PER_MS = 10_000n;

function identifier(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));
}

function structuredUuid(id: string): Uint8Array {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const bits = new UUID.Structured();
  bits.setMostSignificantBits(String(bytes.readBigInt64BE(0)));
  bits.setLeastSignificantBits(String(bytes.readBigInt64BE(8)));
  return new UUID().setStructured(bits).serializeBinary();
}

/** The number of events whose encoded responses are kept: subscriptions receive an event at about the same time. */
const KEPT = 1024;

/** Encodes events for all readers once, as long as the store hands out the same object. */
export class EventResponses {
  private readonly kept = new Array<{ readonly event: RecordedEvent; readonly bytes: Buffer } | undefined>(2 * KEPT);

  /** Returns the encoded ReadResp. */
  encoded(event: RecordedEvent, structuredIds: boolean): Buffer {
    const slot = 2 * (event.position % KEPT) + Number(structuredIds);
    const kept = this.kept[slot];
    if (kept?.event === event) return kept.bytes;
    const bytes = eventResponse(event, structuredIds);
    this.kept[slot] = { event, bytes };
    return bytes;
  }
}

/** Fields of ReadResp and of the messages within it, by their numbers in the protocol. */
const Response = { event: 1 } as const;
const ReadEvent = { event: 1, commitPosition: 3 } as const;
const Recorded = {
  id: 1,
  stream: 2,
  revision: 3,
  preparePosition: 4,
  position: 5,
  system: 6,
  metadata: 7,
  data: 8,
} as const;
const Uuid = { text: 2 } as const;
const StreamIdentifierField = { name: 3 } as const;
const MapEntry = { key: 1, value: 2 } as const;

/** More bytes than a response has beside the texts that are counted. */
const FRAME_BYTES = 512;

/** Encodes the response without the generated classes, which cost several times as much. */
function eventResponse(event: RecordedEvent, structuredIds: boolean): Buffer {
  const data = JSON.stringify(event.data);
  const metadata = JSON.stringify(event.metadata);
  const [dataBytes, metadataBytes] = [Buffer.byteLength(data), Buffer.byteLength(metadata)];
  const names = 3 * (event.id.length + event.stream.length + event.type.length);
  const to = new FieldWriter(dataBytes + metadataBytes + names + FRAME_BYTES);
  to.message(Response.event, () => {
    to.number(ReadEvent.commitPosition, event.position);
    to.message(ReadEvent.event, () => {
      to.text(Recorded.data, data, dataBytes);
      to.text(Recorded.metadata, metadata, metadataBytes);
      writeSystemMetadata(to, event);
      to.number(Recorded.position, event.position);
      to.number(Recorded.preparePosition, event.position);
      to.number(Recorded.revision, event.revision);
      to.message(Recorded.stream, () => to.text(StreamIdentifierField.name, event.stream));
      if (structuredIds) to.bytes(Recorded.id, structuredUuid(event.id));
      else to.message(Recorded.id, () => to.text(Uuid.text, event.id));
    });
  });
  return to.finish();
}

function writeSystemMetadata(to: FieldWriter, { type, metadata }: RecordedEvent): void {
  const time = Date.parse(metadata.time);
  const entries = {
    created: String(BigInt(Number.isNaN(time) ? 0 : time) * TICKS_PER_MS),
    'content-type': 'application/json',
    type,
  };
  for (const [key, value] of Object.entries(entries))
    to.message(Recorded.system, () => {
      to.text(MapEntry.value, value);
      to.text(MapEntry.key, key);
    });
}

export function confirmation(id: string): ReadResp {
  return new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id));
}

export function checkpoint(position: number): ReadResp {
  const at = new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position));
  return new ReadResp().setCheckpoint(at);
}

export function caughtUp(): ReadResp {
  return new ReadResp().setCaughtUp(new ReadResp.CaughtUp());
}

export function streamNotFound(stream: string): ReadResp {
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(identifier(stream)));
}
