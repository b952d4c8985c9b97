import { getOrCreate } from '@stave/domain';
import { splitStream, type EventStore, type RecordedEvent, type StoredDocument } from '@stave/platform';
import type { Feed, FeedListener } from '../events/feed.js';
import type { Within } from '../resources/fold-snapshots.js';
import type { Projection } from '../resources/projection.js';
import { documentOf, type ResourceType } from '../resources/resource-definition.js';
import type { Entry, ResourceModel } from '../resources/resource-model.js';
import type { PastState } from './history-queries.js';

export type StreamRef = readonly [category: string, id: string];

/** A source of events for projections: the feed of the service, or a feed of past events. */
export type EventFeed = Pick<Feed, 'on'>;

/** A feed whose events are given by its owner. */
export class HistoryFeed implements EventFeed {
  private readonly listeners = new Map<string, FeedListener[]>();

  on(category: string, listener: FeedListener): void {
    getOrCreate(this.listeners, category, () => []).push(listener);
  }

  hand(event: RecordedEvent): void {
    for (const listener of this.listeners.get(splitStream(event.stream).category) ?? []) listener(event);
  }
}

export type SnapshotModel = Pick<ResourceModel<unknown>, 'category' | 'beginAt'>;

/** An empty projection to be fed with the events of the past; its documents are those that the service showed then. */
export interface HistoryContext<S> {
  readonly feed: HistoryFeed;
  readonly own: ResourceModel<S>;
  /** Models that may begin with a snapshot: their listeners need no event before the last one folded. */
  readonly snapshots: readonly SnapshotModel[];
  readonly document: (id: string) => StoredDocument | undefined;
  /** Returns the other streams that show in the document, by the events fed so far. */
  readonly related: (id: string) => Iterable<StreamRef>;
}

export function historyContext<S extends PastState, P extends Projection>(
  type: ResourceType<S, P>,
  store: EventStore,
): HistoryContext<S> {
  const { projection: Past, model, history } = type;
  const past = new Past(store);
  const feed = new HistoryFeed();
  past.follow(feed, () => undefined);
  return {
    feed,
    own: model(past),
    snapshots: history?.snapshots?.(past) ?? [model(past)],
    document: id => documentOf(type, past, id),
    related: id => history?.related?.(past, id) ?? [],
  };
}

/** Streams whose events are in memory at the same time, sorted by position. */
const STREAMS = 256;
const READS = 16;

/** Past states of resources: their events within the limit. */
export interface Past<S> {
  readonly ids: readonly string[];
  readonly within: Within;
  /** The state of the only resource, if it was folded already. */
  readonly known?: Entry<S | undefined>;
  /** Other streams that may show in the documents. */
  readonly parts?: readonly StreamRef[];
}

/** Feeds the context with the events of these resources, and of every stream that shows in their documents. */
export async function replay<S>(store: EventStore, context: HistoryContext<S>, past: Past<S>): Promise<void> {
  const { ids, within, known, parts = [] } = past;
  const { own, snapshots, feed } = context;
  const seen = new Set<string>();
  const isNew = (ref: StreamRef): boolean => seen.size < seen.add(ref.join('-')).size;
  const read = async ([category, id]: StreamRef): Promise<readonly RecordedEvent[]> => {
    const begin =
      category === own.category && known
        ? own.beginAt(id, within, known)
        : snapshots.find(model => model.category === category)?.beginAt(id, within);
    return eventsWithin(store, `${category}-${id}`, within, begin);
  };
  let next = [...ids.map((id): StreamRef => [own.category, id]), ...parts].filter(isNew);
  while (next.length > 0) {
    for (let i = 0; i < next.length; i += STREAMS) {
      const streams = next.slice(i, i + STREAMS);
      const events: RecordedEvent[] = [];
      for (let at = 0; at < streams.length; at += READS)
        events.push(...(await Promise.all(streams.slice(at, at + READS).map(read))).flat());
      for (const event of events.sort((a, b) => a.position - b.position)) feed.hand(event);
    }
    next = ids.flatMap(id => [...context.related(id)].filter(isNew));
  }
}

async function eventsWithin(
  store: EventStore,
  stream: string,
  within: Within,
  { from, upTo }: { readonly from: number; readonly upTo?: number } = { from: 0 },
): Promise<readonly RecordedEvent[]> {
  const events = await store.readStream(stream, { from, ...(upTo === undefined ? {} : { limit: upTo - from + 1 }) });
  let time = '';
  const end = events.findIndex(({ revision, position, metadata }) => {
    if (metadata.time > time) time = metadata.time;
    return !within({ revision, position, time });
  });
  return end < 0 ? events : events.slice(0, end);
}
