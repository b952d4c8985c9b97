import { setMaxListeners } from 'node:events';
import type { Logger } from '../../observability/logger.js';
import { encodeAppend } from '../embedded/event.codec.js';
import {
  EventStoreUnavailableError,
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
} from '../event-store.port.js';
import { Appender } from './appender.js';
import { EventStoreDbSubscription } from './eventstoredb.subscription.js';
import { oneAfterOther } from '../one-after-other.js';
import { Head } from './head.js';
import { Reader } from './reader.js';
import { StoreClient } from './store-client.js';
import { StreamNames } from './stream-names.js';
import { translateAppendError } from './translate.js';

export interface EventStoreDbOptions {
  /** The connection string `esdb://host:port?tls=false`, or one with several hosts. It never occurs in an error. */
  readonly connectionString: string;
  /** Milliseconds for a call with its repetitions, and for the next event of a read; default 10,000. */
  readonly deadlineMs?: number;
  /** The prefix of the names of all streams on the server, without `-` and `$`; default none. */
  readonly streamPrefix?: string;
  /** Receives the ends of subscriptions with their reasons. */
  readonly log?: Pick<Logger, 'info' | 'warn'>;
}

/**
 * The event store on EventStoreDB 23.10 or a server of its protocol. `position` is the commit position. Connects on the
 * first call and reconnects whenever the connection is lost.
 */
export class EventStoreDbAdapter implements EventStore {
  private readonly subscriptions = new Set<EventStoreDbSubscription>();
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly stop = new AbortController();
  private closing: Promise<void> | undefined;

  private readonly client: StoreClient;
  private readonly names: StreamNames;
  private readonly appender: Appender;
  private readonly reader: Reader;
  private readonly lastPosition: Head;

  /** Throws BadConnectionStringError. */
  constructor(private readonly options: EventStoreDbOptions) {
    const { connectionString, deadlineMs = 10_000, streamPrefix } = options;
    setMaxListeners(0, this.stop.signal); // one for each call that waits to be repeated
    this.client = StoreClient.connect(connectionString);
    this.names = new StreamNames(streamPrefix);
    this.appender = new Appender(this.client, deadlineMs, this.stop.signal);
    this.reader = new Reader(this.client, this.names, deadlineMs, this.stop.signal);
    this.lastPosition = new Head(this.reader);
  }

  /** Validates as the embedded store does. Repeats an append whose outcome is unknown until the deadline. */
  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    encodeAppend(stream, events);
    this.requireOpen();
    try {
      return await this.track(this.write(stream, events, expected));
    } catch (error) {
      throw translateAppendError(error, stream, expected);
    }
  }

  /** One after the other: the protocol has no append that depends on another. */
  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    return oneAfterOther(this, appends);
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    this.requireOpen();
    if (stream.startsWith('$') || options.limit === 0) return [];
    return this.track(this.reader.stream(stream, options));
  }

  async readAll(options: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    this.requireOpen();
    return this.track(this.reader.all(options));
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    this.requireOpen();
    const { client, names } = this;
    const forget = (ended: EventStoreDbSubscription) => this.subscriptions.delete(ended);
    const subscription = new EventStoreDbSubscription({ client, names, log: this.options.log }, options, forget);
    this.subscriptions.add(subscription);
    return subscription;
  }

  /** Returns the commit position of the last event of this installation. */
  async head(): Promise<number> {
    this.requireOpen();
    return this.track(this.lastPosition.position());
  }

  /** Asks once, without repetition. Rejects with EventStoreRefusedError when the settings are wrong. */
  async ping(): Promise<void> {
    this.requireOpen();
    await this.track(this.reader.probe());
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    await Promise.all([...this.subscriptions].map(subscription => subscription.close()));
    this.stop.abort();
    await Promise.allSettled(this.underWay);
    this.appender.close();
    await this.client.dispose();
  }

  private async write(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const { revision, position } = await this.appender.append(this.names.onServer(stream), events, expected);
    if (position !== undefined) return { revision, position };
    const [last] = await this.reader.stream(stream, { from: revision, limit: 1 });
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
