import { badCursor, decodeCursor, encodeCursor, listKey } from '@stave/service-kit';
import type { EventPage } from './event-pages.js';

type Query = Readonly<Record<string, unknown>>;

const DEFAULT_LIMIT = 50;

export const pageLimit = (query: Query): number =>
  typeof query['limit'] === 'number' ? query['limit'] : DEFAULT_LIMIT;

/** Encodes the start of the next page of one list of events: a position of the log or a revision of a stream. */
export class PageCursor {
  private readonly key: string;

  /** `of` identifies the list; its cursors are valid for every list with the same value. */
  constructor(of: Query) {
    this.key = listKey('events', [], of);
  }

  /** Returns the start of the requested page; undefined for the first page. Throws RefusedError (400) for a cursor of another list. */
  begin({ cursor }: Query): number | undefined {
    if (cursor === undefined) return undefined;
    const [start] = decodeCursor(String(cursor), this.key, 1);
    if (typeof start !== 'number' || !Number.isSafeInteger(start)) throw badCursor();
    return start;
  }

  page({ items, next }: EventPage): { readonly items: EventPage['items']; readonly nextCursor: string | null } {
    return { items, nextCursor: next === null ? null : encodeCursor(this.key, [next]) };
  }
}
