import { setMaxListeners } from 'node:events';
import type { Logger } from '../../observability/logger.js';
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
import { RenewedClient, type RenewedClientOptions } from './renewed-client.js';
import { StreamNames } from './stream-names.js';
import { translateAppendError } from './translate.js';
import { ReadResponses } from './wire/read-response.js';
import { sentEvents, type SentEvent } from './wire/sent-events.js';

export interface EventStoreDbOptions extends RenewedClientOptions {
  /** The connection string `esdb://host:port?tls=false`, or one with several hosts. It never occurs in an error. */
  readonly connectionString: string;
  /** Milliseconds for a call with its repetitions, and for the next event of a read; default 10,000. */
  readonly deadlineMs?: number;
  /** The prefix of the names of all streams on the server, without `-` and `$`; default none. */
  readonly streamPrefix?: string;
  /** Receives the ends of subscriptions with their reasons, and changes of files. */
  readonly log?: Pick<Logger, 'info' | 'warn' | 'error'>;
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

  private readonly clients: RenewedClient;
  private readonly names: StreamNames;
  private readonly appender: Appender;
  private readonly reader: Reader;
  private readonly lastPosition: Head;

  /** Throws BadConnectionStringError, or BadEnvironmentError for files that cannot be used. */
  constructor(private readonly options: EventStoreDbOptions) {
    const { deadlineMs = 10_000, streamPrefix } = options;
    setMaxListeners(0, this.stop.signal); // one for each call that waits to be repeated
    this.names = new StreamNames(streamPrefix);
    this.clients = new RenewedClient(options, new ReadResponses(this.names));
    this.appender = new Appender(this.clients, deadlineMs, this.stop.signal);
    this.reader = new Reader(this.clients, this.names, deadlineMs, this.stop.signal);
    this.lastPosition = new Head(this.reader);
    this.clients.onRenewed(() => {
      this.appender.renew();
      for (const subscription of this.subscriptions) subscription.renew();
    });
  }

  /** Validates as the embedded store does. Repeats an append whose outcome is unknown until the deadline. */
  async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    const sent = sentEvents(stream, events);
    this.requireOpen();
    try {
      return await this.track(this.write(stream, sent, expected));
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
    const { clients, names } = this;
    const forget = (ended: EventStoreDbSubscription) => this.subscriptions.delete(ended);
    const subscription = new EventStoreDbSubscription({ clients, names, log: this.options.log }, options, forget);
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
    await this.clients.close();
  }

  private async write(stream: string, events: readonly SentEvent[], expected: ExpectedRevision): Promise<AppendResult> {
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
