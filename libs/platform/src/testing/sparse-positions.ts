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

/** Returns the position in the embedded log of the first event from a position on the wire. */
const denseFrom = (position: number | undefined): number | undefined =>
  position === undefined ? undefined : Math.ceil((position - FIRST) / STEP);

const moved = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.map(event => ({ ...event, position: sparse(event.position) }));

/**
 * Shows a store as EventStoreDB shows its log: positions are byte offsets, so almost no number is the position of an
 * event, and the position before an event is not the number before it. With `refuse`, pages start at positions of events
 * only.
 */
export function withSparsePositions(store: EventStore, { refuse = false } = {}): EventStore {
  const check = async (position = -1): Promise<void> => {
    if (!refuse || position < 0 || position > sparse(await store.head())) return;
    if ((position - FIRST) % STEP !== 0) throw new UnknownPositionError(position);
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
      await check(options.before);
      const { after, before } = options;
      return moved(await store.readAll({ ...options, after: dense(after), before: denseFrom(before) }));
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
