import {
  UnknownPositionError,
  type EventStore,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store/event-store.port.js';

const STEP = 97;
const FIRST = 41;

/** Returns the position on the wire of the event with this position in the embedded log; -1 stays "before all events". */
const sparse = (position: number): number => (position < 0 ? -1 : position * STEP + FIRST);

/** Returns the position in the embedded log of the last event up to a position on the wire. */
const dense = (position: number | undefined): number | undefined =>
  position === undefined ? undefined : Math.floor((position - FIRST) / STEP);

const moved = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.map(event => ({ ...event, position: sparse(event.position) }));

/**
 * Shows a store as EventStoreDB shows its log: positions are byte offsets, so almost no number is the position of an
 * event, and the position before an event is not the number before it. With `refuse`, pages start at positions of events
 * only.
 */
export function withSparsePositions(store: EventStore, { refuse = false } = {}): EventStore {
  const check = async (after = -1): Promise<void> => {
    if (!refuse || after < 0 || after > sparse(await store.head())) return;
    if ((after - FIRST) % STEP !== 0) throw new UnknownPositionError(after);
  };
  return {
    append: async (...call) => {
      const { revision, position } = await store.append(...call);
      return { revision, position: sparse(position) };
    },
    appendInOrder: async appends => {
      const results = await store.appendInOrder(appends);
      return results.map(({ revision, position }) => ({ revision, position: sparse(position) }));
    },
    readStream: async (...call) => moved(await store.readStream(...call)),
    readAll: async options => {
      await check(options.after);
      return moved(await store.readAll({ ...options, after: dense(options.after) }));
    },
    subscribe: (options: SubscribeOptions) =>
      store.subscribe({
        ...options,
        after: dense(options.after),
        onEvents: (events, position) => options.onEvents(moved(events), sparse(position)),
      }),
    head: async () => sparse(await store.head()),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}
