import { WrongExpectedRevisionError, type AppendResult, type ExpectedRevision, type NewEvent } from '@stave/platform';
import type { RecordedEvent } from '@stave/platform';

const none: readonly RecordedEvent[] = [];

/** The durable event log, which never loses an event. Events are frozen, so that readers can share them. */
export class EventLog {
  readonly events: RecordedEvent[] = [];
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly byId = new Map<string, RecordedEvent>();
  private readonly listeners = new Set<(event: RecordedEvent) => void>();
  private readonly followers = new Set<() => void>();

  /** Whether the expected revision is checked. */
  checksRevision = true;

  get head(): number {
    return this.events.length - 1;
  }

  stream(name: string): readonly RecordedEvent[] {
    return this.streams.get(name) ?? none;
  }

  /** Appends atomically; a repeated append has no second effect. Throws WrongExpectedRevisionError. */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): AppendResult {
    const known = this.streams.get(stream) ?? [];
    const repeated = events.map(({ id }) => this.byId.get(`${stream}/${id}`));
    const last = repeated.at(-1);
    if (last && repeated.every(Boolean)) return { revision: last.revision, position: last.position };
    const actual = known.length === 0 ? 'no_stream' : known.length - 1;
    if (this.checksRevision && expected !== 'any' && expected !== actual)
      throw new WrongExpectedRevisionError(stream, expected, actual);
    this.streams.set(stream, known);
    for (const event of events) {
      const content = JSON.parse(JSON.stringify(event)) as NewEvent;
      const recorded = frozen({ ...content, stream, revision: known.length, position: this.events.length });
      known.push(recorded);
      this.events.push(recorded);
      this.byId.set(`${stream}/${event.id}`, recorded);
      for (const listener of this.listeners) listener(recorded);
    }
    for (const follow of [...this.followers]) follow();
    return { revision: known.length - 1, position: this.head };
  }

  /** Calls `listener` with each event in order. */
  onEvent(listener: (event: RecordedEvent) => void): void {
    this.listeners.add(listener);
  }

  /** Calls `follow` after each append until the returned function is called. */
  onAppend(follow: () => void): () => void {
    this.followers.add(follow);
    return () => this.followers.delete(follow);
  }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}
