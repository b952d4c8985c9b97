import { badCursor, decodeCursor, encodeCursor, listKey } from '@stave/service-kit';
import type { EventPage } from './event-pages.js';

type Query = Readonly<Record<string, unknown>>;

const DEFAULT_LIMIT = 50;

export const pageLimit = (query: Query): number =>
  typeof query['limit'] === 'number' ? query['limit'] : DEFAULT_LIMIT;

/** Cursors of one list of events: where its next page begins, a position of the log or a revision of a stream. */
export class PageCursor {
  private readonly key: string;

  /** `of`: what the list shows; another that shows the same takes its cursors. */
  constructor(of: Query) {
    this.key = listKey('events', [], of);
  }

  /** Where the page that is asked for begins; undefined for the first. Throws RefusedError (400) for a cursor of another list. */
  begin({ cursor }: Query): number | undefined {
    if (cursor === undefined) return undefined;
    const [place] = decodeCursor(String(cursor), this.key, 1);
    if (typeof place !== 'number' || !Number.isSafeInteger(place)) throw badCursor();
    return place;
  }

  page({ items, next }: EventPage): { readonly items: EventPage['items']; readonly nextCursor: string | null } {
    return { items, nextCursor: next === null ? null : encodeCursor(this.key, [next]) };
  }
}
