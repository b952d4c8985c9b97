import { splitStream, type EventStore, type RecordedEvent, type StoredDocument } from '@stave/platform';
import type { FeedListener } from '../events/feed.js';
import type { Within } from '../resources/fold-snapshots.js';
import { HISTORY_READS, inBatches } from './history-batches.js';
import type { Entry, ResourceModel } from '../resources/resource-model.js';

/** `<category>-<id>`. */
export type StreamRef = readonly [category: string, id: string];

/** What models listen to: the feed of now, or one of the past. */
export interface EventFeed {
  on(category: string, listener: FeedListener): void;
}

/** A feed that is fed by hand. */
export class HistoryFeed implements EventFeed {
  private readonly listeners = new Map<string, FeedListener[]>();

  on(category: string, listener: FeedListener): void {
    this.listeners.set(category, [...(this.listeners.get(category) ?? []), listener]);
  }

  hand(event: RecordedEvent): void {
    const { category } = splitStream(event.stream);
    for (const listener of this.listeners.get(category) ?? []) listener(event);
  }
}

/** A model that can begin with a snapshot; see `ResourceModel.beginAt`. */
export type SnapshotModel = Pick<ResourceModel<unknown>, 'category' | 'beginAt'>;

/** The models of a service, empty, to be fed with the events of the past; what they make of them is what the service showed then. */
export interface HistoryContext<S> {
  readonly feed: HistoryFeed;
  /** Of the resource itself. */
  readonly own: ResourceModel<S>;
  /** What may begin with a snapshot: models whose listeners need no earlier event than the last one folded. */
  readonly snapshots: readonly SnapshotModel[];
  readonly document: (id: string) => StoredDocument | undefined;
  /** Other streams that show in the document, as far as what was fed until now reports. */
  readonly around: (id: string) => Iterable<StreamRef>;
}

/** Of so many streams the events are held at a time, and handed in by their positions. */
const STREAMS = 256;

/** What is to be shown: resources as far as their events are within. */
export interface Past<S> {
  readonly ids: readonly string[];
  readonly within: Within;
  /** The state of the only one, where it was folded already. */
  readonly known?: Entry<S>;
}

/**
 * Feeds the world with what there was of these resources and of everything that shows in their documents. It stays as it was:
 * what comes later is not within.
 */
export async function replay<S>(store: EventStore, world: HistoryContext<S>, past: Past<S>): Promise<void> {
  const { ids, within, known } = past;
  const seen = new Set<string>();
  const fresh = ([category, id]: StreamRef): boolean => {
    const stream = `${category}-${id}`;
    if (seen.has(stream)) return false;
    seen.add(stream);
    return true;
  };
  const read = async ([category, id]: StreamRef): Promise<readonly RecordedEvent[]> => {
    const begin =
      category === world.own.category && known
        ? world.own.beginAt(id, within, known)
        : world.snapshots.find(model => model.category === category)?.beginAt(id, within);
    return eventsUntil(store, `${category}-${id}`, within, begin);
  };
  let next = ids.map((id): StreamRef => [world.own.category, id]).filter(fresh);
  while (next.length > 0) {
    for (let i = 0; i < next.length; i += STREAMS) {
      const events = await inBatches(next.slice(i, i + STREAMS), HISTORY_READS, read);
      for (const event of events.flat().sort((a, b) => a.position - b.position)) world.feed.hand(event);
    }
    next = ids.flatMap(id => [...world.around(id)].filter(fresh));
  }
}

async function eventsUntil(
  store: EventStore,
  stream: string,
  within: Within,
  { from, upTo }: { readonly from: number; readonly upTo?: number } = { from: 0 },
): Promise<readonly RecordedEvent[]> {
  const limit = upTo === undefined ? {} : { limit: upTo - from + 1 };
  const events = await store.readStream(stream, { from, ...limit });
  let time = '';
  const end = events.findIndex(({ revision, position, metadata }) => {
    if (metadata.time > time) time = metadata.time;
    return !within({ revision, position, time });
  });
  return end < 0 ? events : events.slice(0, end);
}
