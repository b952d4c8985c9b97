import { setImmediate } from 'node:timers/promises';
import type { EventSubscription, RecordedEvent, SubscribeOptions } from '../event-store.port.js';
import type { EventIndex } from './index/event-index.js';
import type { EventReader } from './event-reader.js';

const PAGE = { events: 512, bytes: 4 * 1024 * 1024, considered: 8192 };
/** With a filter, the position is reported after this many events that do not match. */
const SILENT_EVENTS = 1024;

interface Page {
  readonly events: readonly RecordedEvent[];
  /** The position up to which events were considered. */
  readonly considered: number;
}

/** Follows the log page by page, and sleeps until `wake` at its end. */
export class EmbeddedSubscription implements EventSubscription {
  private closed = false;
  private cursor: number;
  private reported: number;
  private ahead: Promise<Page> | undefined;
  private signal: (() => void) | undefined;
  private readonly target: number;
  private readonly done: Promise<void>;

  constructor(
    private readonly index: EventIndex,
    private readonly reader: EventReader,
    private readonly options: SubscribeOptions,
    onEnd: (subscription: EmbeddedSubscription) => void,
  ) {
    this.cursor = options.after ?? -1;
    this.reported = this.cursor;
    this.target = index.size - 1;
    this.done = this.run()
      .catch((error: unknown) => this.fail(error))
      .finally(async () => {
        await this.ahead?.catch(() => undefined);
        onEnd(this);
      });
  }

  /** Continues the delivery after new events became durable. */
  wake(): void {
    this.signal?.();
  }

  /** Ends the subscription. The handler must not await it, because it waits for the handler. */
  close(): Promise<void> {
    this.closed = true;
    this.wake();
    return this.done;
  }

  private async run(): Promise<void> {
    await setImmediate(); // the caller gets the subscription before the first event
    let behind = true;
    while (!this.closed) {
      await this.page();
      if (this.closed) return;
      if (behind && this.cursor >= this.target) {
        behind = false;
        await this.reportPosition(1);
        if (!this.closed) this.options.onCaughtUp?.();
      }
      if (this.cursor >= this.index.size - 1) await this.sleep();
      else await setImmediate();
    }
  }

  private async page(): Promise<void> {
    const { events, considered } = await (this.ahead ?? this.read(this.cursor + 1));
    this.ahead = undefined;
    if (this.closed) return;
    this.cursor = Math.max(this.cursor, considered);
    if (this.cursor < this.target) this.readAhead();
    if (events.length === 0) return this.reportPosition(SILENT_EVENTS);
    this.reported = this.cursor;
    await this.options.onEvents(events, this.cursor);
  }

  private async read(from: number): Promise<Page> {
    const { positions, considered } = this.index.scan(from, this.options.filter, PAGE);
    return { events: positions.length === 0 ? [] : await this.reader.readInTurn(positions), considered };
  }

  /** Reads the next page of what was in the log at the start while this one is handled. */
  private readAhead(): void {
    this.ahead = this.read(this.cursor + 1);
    this.ahead.catch(() => undefined); // the next call of `page` reports it
  }

  private async reportPosition(atLeast: number): Promise<void> {
    if (this.closed || this.cursor - this.reported < atLeast) return;
    this.reported = this.cursor;
    await this.options.onEvents([], this.cursor);
  }

  private async sleep(): Promise<void> {
    if (this.closed) return;
    await new Promise<void>(resolve => (this.signal = resolve));
    this.signal = undefined;
  }

  private fail(error: unknown): void {
    this.closed = true;
    this.options.onError?.(error);
  }
}
