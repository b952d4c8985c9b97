import { Inject, Injectable } from '@nestjs/common';
import { cloudEvent, type CloudEvent, type EventStore, type RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '../gateway.tokens.js';
import type { EventPredicate } from './event-filter.js';
import { EventHub } from './event-hub.js';

const READ = 1000;
/** The most events that one request examines; its page can then be short or empty and still have a next page. */
const MAX_EXAMINED = 20_000;
/** The size at which a page ends, whatever its limit. */
const MAX_BYTES = 512 * 1024;

export interface EventPage {
  readonly items: readonly CloudEvent[];
  /** The start of the next page: a position to read after, or a revision of the stream; null after the last page. */
  readonly next: number | null;
}

/** Reads pages of events, oldest first. */
@Injectable()
export class EventPages {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly hub: EventHub,
  ) {}

  /** Reads the log after a position; `next` is a position, too. `until` selects the first event that is not read any more. */
  async ofLog(
    after: number,
    limit: number,
    selects: EventPredicate,
    until: EventPredicate = () => false,
  ): Promise<EventPage> {
    const source = await this.hub.source.resolve();
    const page = new PageBuilder(limit, source);
    let position = after;
    for (let examined = 0; examined < MAX_EXAMINED; examined += READ) {
      const events = await this.eventStore.readAll({ limit: READ, ...(position < 0 ? {} : { after: position }) });
      for (const event of events) {
        if (until(event)) return page.end();
        if (page.full && selects(event)) return page.next(position);
        if (selects(event)) page.add(event);
        position = event.position;
      }
      if (events.length < READ) return page.end();
    }
    return page.next(position);
  }

  /** Reads one stream from a revision; `next` is a revision, too. */
  async ofStream(stream: string, from: number, limit: number): Promise<EventPage> {
    const source = await this.hub.source.resolve();
    const page = new PageBuilder(limit, source);
    const events = await this.eventStore.readStream(stream, { from, limit: limit + 1 });
    for (const event of events) {
      if (page.full) return page.next(event.revision);
      page.add(event);
    }
    return page.end();
  }
}

class PageBuilder {
  private readonly items: CloudEvent[] = [];
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly source: string,
  ) {}

  get full(): boolean {
    return this.items.length >= this.limit || this.bytes >= MAX_BYTES;
  }

  add(event: RecordedEvent): void {
    const item = cloudEvent(event, this.source);
    this.bytes += JSON.stringify(item).length;
    this.items.push(item);
  }

  next(start: number): EventPage {
    return { items: this.items, next: start };
  }

  end(): EventPage {
    return { items: this.items, next: null };
  }
}
