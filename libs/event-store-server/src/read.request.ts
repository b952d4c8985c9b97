import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventFilter, RecordedEvent } from '@stave/platform';
import { BadRequestError } from './grpc-error.js';
import { streamNameOf } from './run-append.js';

/** The start of a read. A number is a revision of the stream, or a position when all streams are read. */
export type ReadFrom = 'start' | 'end' | number;

export interface ReadRequest {
  /** The stream to read; absent: all streams. */
  readonly stream?: string;
  readonly from: ReadFrom;
  readonly backwards: boolean;
  /** The number of events to read; absent: the request is for a subscription. */
  readonly count?: number;
  readonly structuredIds: boolean;
  readonly filter?: RequestFilter;
}

interface RequestFilter {
  /** The part of the filter that the store applies; absent: it applies none. */
  readonly store?: EventFilter;
  readonly matches: (event: RecordedEvent) => boolean;
}

/** Parses a request. Throws BadRequestError without options, SyntaxError for a malformed regular expression. */
export function readRequest(request: ReadReq): ReadRequest {
  const options = request.getOptions();
  if (!options) throw new BadRequestError('the request has no options');
  const stream = options.getStream();
  return {
    stream: stream ? streamNameOf(stream.getStreamIdentifier()) : undefined,
    from: stream ? fromRevision(stream) : fromPosition(options.getAll()),
    backwards: options.getReadDirection() === 1,
    count: options.hasSubscription() ? undefined : Number(options.getCount()),
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
    filter: filterOf(options.getFilter()),
  };
}

function fromRevision(options: ReadReq.Options.StreamOptions): ReadFrom {
  if (options.hasRevision()) return Number(options.getRevision());
  return options.hasEnd() ? 'end' : 'start';
}

function fromPosition(options: ReadReq.Options.AllOptions | undefined): ReadFrom {
  const position = options?.getPosition();
  if (position) return Number(position.getCommitPosition());
  return options?.hasEnd() ? 'end' : 'start';
}

function filterOf(filter: ReadReq.Options.FilterOptions | undefined): RequestFilter | undefined {
  const byStream = filter?.getStreamIdentifier();
  const byType = filter?.getEventType();
  const expression = byStream ?? byType;
  if (!expression) return undefined;
  const text = (event: RecordedEvent) => (byStream ? event.stream : event.type);
  const prefixes = expression.getPrefixList();
  if (prefixes.length === 0) {
    const regex = new RegExp(expression.getRegex());
    return { matches: event => regex.test(text(event)) };
  }
  const matches = (event: RecordedEvent) => prefixes.some(prefix => text(event).startsWith(prefix));
  return byStream ? { store: { streamPrefixes: prefixes }, matches } : { matches };
}
