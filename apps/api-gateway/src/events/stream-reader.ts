import type { EventStore } from '@stave/platform';
import type { ServerResponse } from 'node:http';
import type { EventPredicate } from './event-filter.js';
import { EventFrame, type EventHub, type FrameReader, type LiveEvents } from './event-hub.js';

const PAGE = 500;
/** The time for the client to read what was written before the connection is closed. */
const LAST_WORDS_MS = 5000;

export interface StreamReaderOptions {
  readonly response: ServerResponse;
  readonly selects: EventPredicate;
  readonly eventStore: EventStore;
  readonly hub: EventHub;
  readonly slowReaderBytes: number;
  readonly onPending: (reader: StreamReader) => void;
  readonly onEnded: (reader: StreamReader) => void;
}

/** One client of the event stream: catches up from the log at its own pace and then receives new events from the hub. */
export class StreamReader implements FrameReader {
  private pending: string[] = [];
  private ended = false;
  private delivered = -1;
  private live: LiveEvents | undefined;

  constructor(private readonly options: StreamReaderOptions) {}

  /** Resolves when the reader has caught up and receives events from the hub, or has ended before. */
  async start(after: number): Promise<void> {
    this.delivered = after;
    const live = await this.options.hub.enter(this);
    this.live = live;
    while (!this.ended && !live.join(this, this.delivered)) this.delivered = await this.readPage(live, this.delivered);
  }

  take(frames: readonly EventFrame[]): void {
    if (this.ended) return;
    for (const frame of frames) {
      if (frame.event.position <= this.delivered) continue;
      this.delivered = frame.event.position;
      if (this.options.selects(frame.event)) this.push(frame.text);
    }
  }

  comment(text: string): void {
    this.push(`: ${text}\n\n`);
  }

  flush(): void {
    if (this.ended || this.pending.length === 0) return;
    if (this.options.response.writableLength > this.options.slowReaderBytes)
      return this.end('the client reads too slowly; resume with Last-Event-ID');
    this.options.response.write(this.pending.join(''));
    this.pending = [];
  }

  /** Sends the reason as a comment and ends the response. Pending events are not sent: the client resumes after the last one it read. */
  end(reason: string): void {
    if (this.ended) return;
    this.gone();
    const { response } = this.options;
    response.end(`: ${reason}\n\n`);
    const patience = setTimeout(() => response.destroy(), LAST_WORDS_MS).unref();
    response.on('close', () => clearTimeout(patience));
  }

  gone(): void {
    this.ended = true;
    this.live?.leave(this);
    this.options.hub.leave(this);
    this.pending = [];
    this.options.onEnded(this);
  }

  private push(text: string): void {
    if (this.ended) return;
    this.pending.push(text);
    this.options.onPending(this);
  }

  private async readPage(live: LiveEvents, after: number): Promise<number> {
    const { eventStore, hub, selects, response } = this.options;
    const seen = live.position;
    const events = await eventStore.readAll({ limit: PAGE, after });
    const chosen = events.filter(selects).map(event => new EventFrame(event, hub.source.current).text);
    if (chosen.length > 0 && !this.ended && !response.write(chosen.join(''))) await this.drained();
    const last = events.at(-1)?.position ?? after;
    return events.length < PAGE ? Math.max(last, seen) : last;
  }

  private drained(): Promise<void> {
    const { response } = this.options;
    return new Promise(resolve => {
      const done = (): void => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }
}
