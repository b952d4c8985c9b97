import { Inject, Injectable } from '@nestjs/common';
import { cloudEvent, type CloudEvent, type EventStore, type RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '../gateway.tokens.js';
import type { EventPredicate } from './event-filter.js';
import { EventHub } from './event-hub.js';

const READ = 1000;
/** A request looks at no more than this many events; a page may then be short, or empty, and still have a next one. */
const MOST_LOOKED_AT = 20_000;
/** Pages are cut by bytes too. */
const MOST_BYTES = 512 * 1024;

export interface EventPage {
  readonly items: readonly CloudEvent[];
  /** Where the next page begins: a position to read after, or a revision of the stream; null for no further page. */
  readonly next: number | null;
}

/** Pages of the log, oldest first. */
@Injectable()
export class EventPages {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly hub: EventHub,
  ) {}

  /** Of all events after a position; the next page is after a position, too. `until`: the first event that is not looked at any more. */
  async ofLog(
    after: number,
    limit: number,
    selects: EventPredicate,
    until: EventPredicate = () => false,
  ): Promise<EventPage> {
    const source = await this.hub.source.resolve();
    const page = new PageBuilder(limit, source);
    let position = after;
    for (let looked = 0; looked < MOST_LOOKED_AT; looked += READ) {
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

  /** Of one stream from a revision on; so is the next page. Undefined when there is no such stream. */
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
    return this.items.length >= this.limit || this.bytes >= MOST_BYTES;
  }

  add(event: RecordedEvent): void {
    const item = cloudEvent(event, this.source);
    this.bytes += JSON.stringify(item).length;
    this.items.push(item);
  }

  next(place: number): EventPage {
    return { items: this.items, next: place };
  }

  end(): EventPage {
    return { items: this.items, next: null };
  }
}
