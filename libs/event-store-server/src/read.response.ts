import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { RecordedEvent } from '@stave/platform';

const TICKS_PER_MS = 10_000n;

function identifier(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));
}

function uuid(id: string, structured: boolean): UUID {
  if (!structured) return new UUID().setString(id);
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const bits = new UUID.Structured();
  bits.setMostSignificantBits(String(bytes.readBigInt64BE(0)));
  bits.setLeastSignificantBits(String(bytes.readBigInt64BE(8)));
  return new UUID().setStructured(bits);
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
    const bytes = Buffer.from(eventResponse(event, structuredIds).serializeBinary());
    this.kept[slot] = { event, bytes };
    return bytes;
  }
}

function eventResponse(event: RecordedEvent, structuredIds: boolean): ReadResp {
  const position = String(event.position);
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(uuid(event.id, structuredIds))
    .setStreamIdentifier(identifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(Buffer.from(JSON.stringify(event.metadata), 'utf8'))
    .setData(Buffer.from(JSON.stringify(event.data), 'utf8'));
  const time = Date.parse(event.metadata.time);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', 'application/json')
    .set('created', String(BigInt(Number.isNaN(time) ? 0 : time) * TICKS_PER_MS));
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position));
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
