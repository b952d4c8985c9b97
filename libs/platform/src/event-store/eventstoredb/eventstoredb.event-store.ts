import { once } from 'node:events';
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  START,
  StreamNotFoundError,
  type AllStreamResolvedEvent,
  type JSONType,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { append } from '@eventstore/db-client/dist/streams/appendToStream/append.js';
import { encodeAppend } from '../embedded/event.codec.js';
import {
  EventStoreUnavailableError,
  type AppendResult,
  type EventStore,
  type EventSubscription,
  type ExpectedRevision,
  type NewEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.port.js';
import { EventStoreDbSubscription } from './eventstoredb.subscription.js';
import { recordedEvent, translateAppendError, translateError } from './translate.js';

export interface EventStoreDbOptions {
  /** The connection string `esdb://host:port?tls=false`, or one with several hosts. */
  readonly connectionString: string;
  /** Milliseconds to wait for an answer, and for the next event of a read; default 10,000. */
  readonly deadlineMs?: number;
}

/**
 * The event store on EventStoreDB 23.10 or a server of its protocol. `position` is the commit position. Connects on the
 * first call and reconnects whenever the connection is lost.
 */
export class EventStoreDbAdapter implements EventStore {
  private readonly subscriptions = new Set<EventStoreDbSubscription>();
  private readonly underWay = new Set<Promise<unknown>>();
  private closing: Promise<void> | undefined;

  private readonly client: EventStoreDBClient;
  private readonly deadlineMs: number;

  constructor({ connectionString, deadlineMs = 10_000 }: EventStoreDbOptions) {
    this.client = EventStoreDBClient.connectionString(connectionString);
    this.deadlineMs = deadlineMs;
  }

  /** Validates as the embedded store does. Never repeats an append: callers do, with the same event ids. */
  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    encodeAppend(stream, events);
    this.requireOpen();
    try {
      return await this.track(this.write(stream, events, expected));
    } catch (error) {
      throw translateAppendError(error, stream, expected);
    }
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    this.requireOpen();
    const { from, direction, limit } = options;
    if (stream.startsWith('$') || limit === 0) return [];
    const backwards = direction === 'backwards';
    const read = this.client.readStream(stream, {
      fromRevision: from === undefined ? (backwards ? END : START) : BigInt(from),
      direction: backwards ? BACKWARDS : FORWARDS,
      maxCount: limit,
    });
    return this.track(collectRead(read, this.deadlineMs));
  }

  /** Reads everything after the position and drops what does not match, because the client cannot filter here. */
  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    this.requireOpen();
    const { after = -1, limit, filter } = options;
    const at = BigInt(Math.max(after, 0));
    const read = this.client.readAll({ fromPosition: after < 0 ? START : { commit: at, prepare: at } });
    const wanted = (event: RecordedEvent) =>
      event.position > after && (!filter || filter.streamPrefixes.some(prefix => event.stream.startsWith(prefix)));
    return this.track(collectRead(read, this.deadlineMs, limit, wanted));
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    this.requireOpen();
    const forget = (ended: EventStoreDbSubscription) => this.subscriptions.delete(ended);
    const subscription = new EventStoreDbSubscription(this.client, options, forget);
    this.subscriptions.add(subscription);
    return subscription;
  }

  /** Returns the commit position of the last event that is not a system event. */
  async head(): Promise<number> {
    this.requireOpen();
    const read = this.client.readAll({ direction: BACKWARDS, fromPosition: END });
    const [last] = await this.track(collectRead(read, this.deadlineMs, 1));
    return last?.position ?? -1;
  }

  async ping(): Promise<void> {
    this.requireOpen();
    const read = this.client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 });
    await this.track(collectRead(read, this.deadlineMs));
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscriptions].map(subscription => subscription.close()));
    await Promise.allSettled(this.underWay);
    await this.client.dispose();
  }

  /**
   * Uses plain Append instead of the client's BatchAppend, which has no deadline and shares its table of pending
   * appends, and its failures, among all clients of the process.
   */
  private async write(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const result = await append.call(this.client, stream, events.map(clientEvent), {
      expectedRevision: typeof expected === 'number' ? BigInt(expected) : expected,
      batchAppendSize: 0, // used by BatchAppend only, but the type requires it
      requiresLeader: true,
      deadline: this.deadlineMs,
    });
    const revision = Number(result.nextExpectedRevision);
    if (result.position) return { revision, position: Number(result.position.commit) };
    const [last] = await this.readStream(stream, { from: revision, limit: 1 });
    if (!last) throw new EventStoreUnavailableError(`EventStoreDB does not show revision ${revision} of ${stream} yet`);
    return { revision, position: last.position };
  }

  private async track<T>(call: Promise<T>): Promise<T> {
    this.underWay.add(call);
    try {
      return await call;
    } finally {
      this.underWay.delete(call);
    }
  }

  private requireOpen(): void {
    if (this.closing) throw new EventStoreUnavailableError('the connection to EventStoreDB is closed');
  }
}

/** Converts an event through JSON, as it is sent; the client's type requires JSON values. */
function clientEvent({ id, type, data, metadata }: NewEvent) {
  const json: { data: JSONType; metadata: JSONType } = JSON.parse(JSON.stringify({ data, metadata }));
  return jsonEvent({ id, type, data: json.data, metadata: json.metadata });
}

/**
 * Returns at most `limit` events of a read for which `wanted` holds; none for a missing stream. The client has no
 * deadline for reads, so EventStoreUnavailableError is thrown when the server is silent for `deadlineMs` milliseconds.
 */
async function collectRead<T extends ResolvedEvent | AllStreamResolvedEvent>(
  read: StreamingRead<T>,
  deadlineMs: number,
  limit = Infinity,
  wanted: (event: RecordedEvent) => boolean = () => true,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), deadlineMs);
  read.on('data', (item: T) => {
    if (events.length >= limit) return;
    timer.refresh();
    const event = recordedEvent(item);
    if (event && wanted(event) && events.push(event) >= limit) read.emit('end');
  });
  try {
    await once(read, 'end', { signal: silence.signal });
  } catch (error) {
    if (silence.signal.aborted)
      throw new EventStoreUnavailableError(`EventStoreDB did not answer within ${deadlineMs} ms`);
    if (!(error instanceof StreamNotFoundError)) throw translateError(error);
  } finally {
    clearTimeout(timer);
    read.removeAllListeners('data');
    read.on('error', () => undefined); // an unhandled error of a cancelled read would end the process
    read.cancel().catch(() => undefined);
  }
  return events;
}
