import { counter, gauge, timings } from '../observability/stave-metrics.js';
import { isTraced, traced, traceparent } from '../observability/tracing.js';
import {
  EventStoreRefusedError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type Append,
  type AppendResult,
  type EventStore,
  type EventSubscription,
  type ExpectedRevision,
  type NewEvent,
  type OrderedAppend,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from './event-store.port.js';
import { categoryOf } from './stream-name.js';

const appendSeconds = timings({
  name: 'stave_append_duration_seconds',
  help: 'Time of an append to the event store, by the category of its first stream; `conflict`: another writer appended first, and the decision is made again',
  labels: ['category', 'outcome'],
});
const appended = counter({
  name: 'stave_events_appended_total',
  help: 'Events that this process has appended, by type',
  labels: ['type'],
});
const conflicts = counter({
  name: 'stave_append_conflicts_total',
  help: 'Appends that another writer had forestalled',
  labels: ['category'],
});
const up = gauge(
  {
    name: 'stave_event_store_up',
    help: '1: the last call of the event store was answered; 0: it was not, or not in time',
    labels: [],
  },
  'lowest',
);

/** Measures the calls of an event store. Everything else is as in the store itself. */
export class ObservedEventStore implements EventStore {
  private answered: number | undefined;
  private readonly forget = up.from({}, this, store => store.answered);

  constructor(private readonly store: EventStore) {}

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return this.spanning([{ stream, events, expected }], async marked => {
      const [only] = marked([{ stream, events, expected }]);
      return this.store.append(stream, only?.events ?? events, expected);
    });
  }

  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    return this.spanning(appends, marked => this.store.appendInOrder(marked(appends)));
  }

  readStream(stream: string, options?: ReadStreamOptions): Promise<readonly RecordedEvent[]> {
    return this.asked(this.store.readStream(stream, options));
  }

  readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.asked(this.store.readAll(options));
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    return this.store.subscribe(options);
  }

  head(): Promise<number> {
    return this.asked(this.store.head());
  }

  ping(): Promise<void> {
    return this.asked(this.store.ping());
  }

  async close(): Promise<void> {
    this.forget();
    await this.store.close();
  }

  /** Appends as part of the current trace, if there is one: the events then name the span. */
  private spanning<T>(appends: readonly Append[], append: (mark: Mark) => Promise<T>): Promise<T> {
    if (!isTraced()) return this.appending(appends, () => append(all => all));
    // what is appended ahead, such as a name, comes before the decision itself
    const category = categoryOf(appends.at(-1)?.stream ?? '');
    return traced(`append ${category}`, { attributes: { 'stave.category': category } }, span => {
      const of = traceparent(span);
      return this.appending(appends, () => append(all => all.map(each => withTrace(each, of))));
    });
  }

  private async appending<T>(appends: readonly Append[], append: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const category = categoryOf(appends[0]?.stream ?? '');
    const measured = (outcome: string): void =>
      appendSeconds({ category, outcome }, (performance.now() - begun) / 1_000);
    try {
      const result = await append();
      this.answered = 1;
      for (const { events } of appends) for (const { type } of events) appended({ type });
      measured('appended');
      return result;
    } catch (error) {
      const isConflict = error instanceof WrongExpectedRevisionError;
      this.answered = isUnavailable(error) ? 0 : 1;
      if (isConflict) conflicts({ category: categoryOf(error.stream) });
      measured(isConflict ? 'conflict' : isUnavailable(error) ? 'unavailable' : 'refused');
      throw error;
    }
  }

  private async asked<T>(answer: Promise<T>): Promise<T> {
    try {
      const answered = await answer;
      this.answered = 1;
      return answered;
    } catch (error) {
      this.answered = isUnavailable(error) ? 0 : 1;
      throw error;
    }
  }
}

type Mark = <A extends Append>(appends: readonly A[]) => readonly A[];

const withTrace = <A extends Append>(append: A, of: string | undefined): A =>
  of === undefined
    ? append
    : {
        ...append,
        events: append.events.map(event => ({ ...event, metadata: { ...event.metadata, traceparent: of } })),
      };

const isUnavailable = (error: unknown): boolean =>
  error instanceof EventStoreUnavailableError || error instanceof EventStoreRefusedError;
