import { Empty, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';

/** A read of one stream. */
export interface StreamRead {
  /** The name on the server. */
  readonly stream: string;
  /** The first revision, inclusive in both directions. */
  readonly from: 'start' | 'end' | number;
  readonly backwards: boolean;
  /** The number of events to read; absent: all. */
  readonly count?: number;
}

/** Builds the request of a read. Links are not resolved. */
export function streamReadRequest({ stream, from, backwards, count = Infinity }: StreamRead): ReadReq {
  const start = new ReadReq.Options.StreamOptions().setStreamIdentifier(
    new StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8')),
  );
  if (from === 'start') start.setStart(new Empty());
  else if (from === 'end') start.setEnd(new Empty());
  else start.setRevision(String(from));
  const options = new ReadReq.Options()
    .setStream(start)
    .setReadDirection(backwards ? 1 : 0)
    .setResolveLinks(false)
    .setCount(String(Math.min(count, Number.MAX_SAFE_INTEGER)))
    .setUuidOption(new ReadReq.Options.UUIDOption().setString(new Empty()))
    .setNoFilter(new Empty());
  return new ReadReq().setOptions(options);
}
