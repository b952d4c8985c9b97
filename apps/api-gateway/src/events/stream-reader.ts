import type { EventStore } from '@stave/platform';
import type { ServerResponse } from 'node:http';
import { EventBatch, EventFrame } from './event-batch.js';
import type { StreamFilter } from './event-filter.js';
import type { EventHub } from './event-hub.js';
import type { LiveEvents } from './live-events.js';
import type { EventReader } from './reader-groups.js';
import { countStreamEnd, type StreamEnd } from './stream-ends.js';

const PAGE = 500;
const TOO_SLOW = 'the client reads too slowly; resume with Last-Event-ID';
/** The time for the client to read what was written before the connection is closed. */
const LAST_WORDS_MS = 5000;

export interface StreamReaderOptions {
  readonly response: ServerResponse;
  readonly filter: StreamFilter;
  readonly eventStore: EventStore;
  readonly hub: EventHub;
  readonly slowReaderBytes: number;
  /** The time that the client has to read a page while it catches up, in milliseconds. */
  readonly readTimeoutMs: number;
  readonly onEnded: (reader: StreamReader) => void;
}

/** One client of the event stream: catches up from the log at its own pace and then receives new events from the hub. */
export class StreamReader implements EventReader {
  readonly filter: StreamFilter;
  private ended = false;
  private delivered = -1;
  private live: LiveEvents | undefined;

  constructor(private readonly options: StreamReaderOptions) {
    this.filter = options.filter;
  }

  /** Resolves when the reader has caught up and receives events from the hub, or has ended before. */
  async start(after: number): Promise<void> {
    this.delivered = after;
    const live = await this.options.hub.enter(this);
    this.live = live;
    while (!this.ended && !live.join(this, this.delivered)) this.delivered = await this.readPage(live, this.delivered);
  }

  take(batch: EventBatch): void {
    const fresh = batch.after(this.delivered);
    if (fresh.frames.length > 0) this.write(fresh.bytes);
  }

  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /**
   * Sends the reason as a comment and ends the response; the client resumes after the last event it read, and after `retryMs` where
   * that is given.
   */
  end(reason: string, counted: StreamEnd, retryMs?: number): void {
    if (this.ended) return;
    this.gone(counted);
    const { response } = this.options;
    response.end(`: ${reason}\n${retryMs === undefined ? '' : `retry: ${retryMs}\n`}\n`);
    const patience = setTimeout(() => response.destroy(), LAST_WORDS_MS).unref();
    response.on('close', () => clearTimeout(patience));
  }

  gone(counted: StreamEnd = 'client'): void {
    if (!this.ended) countStreamEnd(counted);
    this.ended = true;
    this.live?.leave(this);
    this.options.hub.leave(this);
    this.options.onEnded(this);
  }

  private write(data: Buffer | string): void {
    if (this.ended) return;
    const { response, slowReaderBytes } = this.options;
    if (response.writableLength > slowReaderBytes) return this.end(TOO_SLOW, 'slow-reader');
    response.write(data);
  }

  private async readPage(live: LiveEvents, after: number): Promise<number> {
    const { eventStore, hub, filter, response } = this.options;
    const seen = live.position;
    const events = await eventStore.readAll({ limit: PAGE, after });
    const chosen = events.filter(filter.selects).map(event => new EventFrame(event, hub.source.current));
    if (chosen.length > 0 && !this.ended && !response.write(new EventBatch(chosen).bytes)) await this.drained();
    const last = events.at(-1)?.position ?? after;
    return events.length < PAGE ? Math.max(last, seen) : last;
  }

  private drained(): Promise<void> {
    const { response, readTimeoutMs } = this.options;
    return new Promise(resolve => {
      const patience = setTimeout(() => this.end(TOO_SLOW, 'slow-reader'), readTimeoutMs).unref();
      const done = (): void => {
        clearTimeout(patience);
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }
}
