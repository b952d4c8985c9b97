import { Inject, Injectable } from '@nestjs/common';
import { cloudEvent, type CloudEvent, type EventStore, type RecordedEvent } from '@stave/platform';
import { badCursor, decodeCursor, encodeCursor, listKey } from '@stave/service-kit';
import { EVENT_STORE } from '../gateway.tokens.js';
import type { Values } from '../http/call.js';
import { limitOf } from '../services/list-query.js';
import type { EventPredicate } from './event-filter.js';
import { EventHub } from './event-hub.js';

const READ = 1000;
/** The most events that one request examines; its page can then be short or empty and still have a next page. */
const MAX_EXAMINED = 20_000;
/** The size at which a page ends, whatever its limit. */
const MAX_BYTES = 512 * 1024;

export interface EventPage {
  readonly items: readonly CloudEvent[];
  readonly nextCursor: string | null;
}

/** A request for a page of one list of events. Its cursor encodes a position of the log or a revision of a stream. */
export class PageRequest {
  /** The start of the page; undefined for the first page. */
  readonly start: number | undefined;
  readonly limit: number;
  private readonly key: string;

  /** `of` identifies the list; its cursors are valid for every list with the same value. Throws RefusedError (400) for another one. */
  constructor(of: Values, query: Values) {
    this.key = listKey('events', [], of);
    this.limit = limitOf(query);
    const { cursor } = query;
    if (cursor === undefined) return;
    const [start] = decodeCursor(String(cursor), this.key, 1);
    if (typeof start !== 'number' || !Number.isSafeInteger(start)) throw badCursor();
    this.start = start;
  }

  cursor(next: number): string {
    return encodeCursor(this.key, [next]);
  }
}

/** The events between two positions: those after the first, and the second itself. */
export interface LogPart {
  readonly after: number;
  readonly last: number;
}

@Injectable()
export class EventPages {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    private readonly hub: EventHub,
  ) {}

  /** Reads the log after `first`, or after the cursor of the request. `until` selects the first event that is not read any more. */
  async ofLog(
    request: PageRequest,
    first: number,
    selects: EventPredicate,
    until: EventPredicate = () => false,
  ): Promise<EventPage> {
    const page = new PageBuilder(request, await this.hub.source.resolve());
    let after = request.start ?? first;
    for (let examined = 0; examined < MAX_EXAMINED; examined += READ) {
      const events = await this.eventStore.readAll({ limit: READ, after });
      for (const event of events) {
        if (until(event)) return page.end();
        if (selects(event) && !page.add(event)) return page.end(after);
        after = event.position;
      }
      if (events.length < READ) return page.end();
    }
    return page.end(after);
  }

  /** Reads from the position `last`, or from the cursor of the request, back to the first event after `after`. */
  async ofLogNewestFirst(request: PageRequest, part: LogPart, selects: EventPredicate): Promise<EventPage> {
    const page = new PageBuilder(request, await this.hub.source.resolve());
    let before = request.start ?? (await this.positionAfter(part.last));
    let examined = 0;
    for (let limit = Math.min(READ, request.limit + 1); ; limit = READ) {
      const events = await this.eventStore.readAll({ direction: 'backwards', before, limit });
      for (const event of events) {
        if (event.position <= part.after) return page.end();
        if (selects(event) && !page.add(event)) return page.end(before);
        before = event.position;
      }
      examined += events.length;
      if (events.length < limit) return page.end();
      if (examined >= MAX_EXAMINED) return page.end(before);
    }
  }

  /** Returns the position of the first event after a position; undefined where there is none. */
  private async positionAfter(position: number): Promise<number | undefined> {
    if (position === Infinity) return undefined;
    const [next] = await this.eventStore.readAll({ after: position, limit: 1 });
    return next?.position;
  }

  /** Reads one stream from its beginning, or from the cursor of the request. */
  async ofStream(request: PageRequest, stream: string): Promise<EventPage> {
    const page = new PageBuilder(request, await this.hub.source.resolve());
    const events = await this.eventStore.readStream(stream, { from: request.start ?? 0, limit: request.limit + 1 });
    for (const event of events) if (!page.add(event)) return page.end(event.revision);
    return page.end();
  }
}

class PageBuilder {
  private readonly items: CloudEvent[] = [];
  private bytes = 0;

  constructor(
    private readonly request: PageRequest,
    private readonly source: string,
  ) {}

  /** Returns false, and adds nothing, when the page is full. */
  add(event: RecordedEvent): boolean {
    if (this.items.length >= this.request.limit || this.bytes >= MAX_BYTES) return false;
    const item = cloudEvent(event, this.source);
    this.bytes += JSON.stringify(item).length;
    this.items.push(item);
    return true;
  }

  /** `next` is the start of the next page; absent after the last page. */
  end(next?: number): EventPage {
    return { items: this.items, nextCursor: next === undefined ? null : this.request.cursor(next) };
  }
}
