import { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';

/** Selects streams by name: those that start with one of the prefixes, or that match the regular expression. */
export type StreamSelection = { readonly prefixes: string[] } | { readonly regex: string };

/** A read of the events of all selected streams, or of all streams without a selection, in the order of their positions. */
export interface AllRead {
  /** The first position, inclusive forwards and exclusive backwards. */
  readonly from: 'start' | 'end' | number;
  readonly backwards: boolean;
  /** The number of events to read; the server stops after them. */
  readonly count: number;
  readonly select?: StreamSelection;
}

/** A subscription to the events of all selected streams after a position, of which the event there is the last one that is known; -1: from the first. */
export interface AllSubscription {
  readonly after: number;
  readonly select: StreamSelection;
}

/** A checkpoint follows at the latest after 8 × 512 events that the filter does not select. */
const CHECKPOINT_INTERVAL = 8;

/** The number of events that the server examines at a time for a filtered read or subscription. */
const SEARCH_WINDOW = 512;

/** Builds the request, which the client cannot: its `readAll` ignores filters without a word. Links are not resolved. */
export function allReadRequest({ from, backwards, count, select }: AllRead): ReadReq {
  const options = optionsFrom(from)
    .setReadDirection(backwards ? 1 : 0)
    .setCount(String(Math.min(count, Number.MAX_SAFE_INTEGER)));
  if (select === undefined) options.setNoFilter(new Empty());
  else options.setFilter(filterOf(select, 1));
  return new ReadReq().setOptions(options);
}

/** Builds the request of a subscription. Links are not resolved. */
export function allSubscriptionRequest({ after, select }: AllSubscription): ReadReq {
  const options = optionsFrom(after < 0 ? 'start' : after)
    .setSubscription(new ReadReq.Options.SubscriptionOptions())
    .setFilter(filterOf(select, CHECKPOINT_INTERVAL));
  return new ReadReq().setOptions(options);
}

function optionsFrom(from: AllRead['from']): ReadReq.Options {
  const all = new ReadReq.Options.AllOptions();
  if (from === 'start') all.setStart(new Empty());
  else if (from === 'end') all.setEnd(new Empty());
  else all.setPosition(new ReadReq.Options.Position().setCommitPosition(String(from)).setPreparePosition(String(from)));
  return new ReadReq.Options()
    .setAll(all)
    .setResolveLinks(false)
    .setUuidOption(new ReadReq.Options.UUIDOption().setString(new Empty()));
}

function filterOf(select: StreamSelection, checkpointInterval: number): ReadReq.Options.FilterOptions {
  const expression = new ReadReq.Options.FilterOptions.Expression();
  if ('regex' in select) expression.setRegex(select.regex);
  else expression.setPrefixList(select.prefixes);
  return new ReadReq.Options.FilterOptions()
    .setStreamIdentifier(expression)
    .setMax(SEARCH_WINDOW)
    .setCheckpointintervalmultiplier(checkpointInterval);
}
