import {
  EventStoreUnavailableError,
  oneAfterOther,
  WrongExpectedRevisionError,
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
} from '@stave/platform';
import type { Network } from '../kernel/network.js';
import type { Process } from '../kernel/process.js';
import type { EventLog } from './event-log.js';

type Prefixes = { readonly streamPrefixes: readonly string[] } | undefined;

const matches = (event: RecordedEvent, filter: Prefixes): boolean =>
  !filter || filter.streamPrefixes.some(prefix => event.stream.startsWith(prefix));

/** One process's connection to the log. Answers may be lost after the append, and subscriptions may be slow. */
export class SimulatedEventStore implements EventStore {
  constructor(
    private readonly process: Process,
    private readonly network: Network,
    private readonly log: EventLog,
  ) {}

  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    if (events.length === 0) return Promise.reject(new RangeError(`append to ${stream}: no events`));
    const { sim, name } = this.process;
    return this.call(() => {
      if (expected !== 'any' && sim.happens(sim.profile.conflict)) {
        const actual = this.log.stream(stream).length - 1;
        throw new WrongExpectedRevisionError(stream, expected, actual < 0 ? 'no_stream' : actual);
      }
      const before = this.log.head;
      const result = this.log.append(stream, events, expected);
      for (const event of this.log.events.slice(before + 1))
        sim.note(() => `${name}: ${stream}@${event.revision} ${event.type} ${JSON.stringify(event.data)}`);
      return result;
    });
  }

  appendInOrder(appends: readonly OrderedAppend[]): Promise<readonly AppendResult[]> {
    return oneAfterOther(this, appends);
  }

  readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> {
    const { from, direction = 'forwards', limit = Number.MAX_SAFE_INTEGER } = options;
    return this.call(() => {
      const known = this.log.stream(stream);
      if (direction === 'forwards') return known.slice(from ?? 0, (from ?? 0) + limit);
      return known
        .slice(0, (from ?? known.length - 1) + 1)
        .reverse()
        .slice(0, limit);
    });
  }

  readAll({ direction, after = -1, before, limit, filter }: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.call(() => {
      if (direction === 'backwards') {
        const earlier = this.log.events.slice(0, Math.min(before ?? Infinity, this.log.head + 1)).reverse();
        return earlier.filter(event => matches(event, filter)).slice(0, limit);
      }
      const found: RecordedEvent[] = [];
      for (let at = after + 1; at <= this.log.head && found.length < limit; at++) {
        const event = this.log.events[at];
        if (event && matches(event, filter)) found.push(event);
      }
      return found;
    });
  }

  subscribe(options: SubscribeOptions): EventSubscription {
    return new SimulatedSubscription(this.process, this.network, this.log, options);
  }

  head(): Promise<number> {
    return this.call(() => this.log.head);
  }

  async ping(): Promise<void> {
    await this.head();
  }

  async close(): Promise<void> {
    // there is nothing to release
  }

  private call<T>(work: () => T): Promise<T> {
    return this.network.call(
      this.process,
      work,
      () => new EventStoreUnavailableError('the simulated event store did not answer'),
    );
  }
}

/** Delivers matching events in order, in batches, with the delay of the profile. */
class SimulatedSubscription implements EventSubscription {
  private position: number;
  private readonly caughtUpAt: number;
  private caughtUp = false;
  private delivering = false;
  private closed = false;
  private readonly forget: () => void;

  constructor(
    private readonly process: Process,
    private readonly network: Network,
    private readonly log: EventLog,
    private readonly options: SubscribeOptions,
  ) {
    this.position = options.after ?? -1;
    this.caughtUpAt = log.head;
    this.forget = log.onAppend(() => this.deliverSoon());
    process.onEnd(this.forget);
    this.deliverSoon();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.forget();
  }

  private deliverSoon(): void {
    if (this.delivering || this.closed) return;
    this.delivering = true;
    const { sim } = this.process;
    const slow = sim.happens(sim.profile.slowFeed);
    this.process.after(slow ? sim.random.within(sim.profile.slowFeedMs) : sim.random.int(1, 30), () => {
      this.delivering = false;
      if (sim.faults && (this.network.isCut(this.process) || sim.script?.stopsFeeds(this.process))) this.deliverSoon();
      else void this.deliver();
    });
  }

  private async deliver(): Promise<void> {
    if (this.closed) return;
    this.delivering = true;
    const { head } = this.log;
    const events = this.log.events.slice(this.position + 1, head + 1).filter(e => matches(e, this.options.filter));
    try {
      if (head > this.position) await this.options.onEvents(events, head);
    } catch (error) {
      this.closed = true;
      this.forget();
      return this.options.onError?.(error);
    }
    this.position = head;
    this.delivering = false;
    if (!this.caughtUp && head >= this.caughtUpAt) {
      this.caughtUp = true;
      this.options.onCaughtUp?.();
    }
    if (this.log.head > head) this.deliverSoon();
  }
}
