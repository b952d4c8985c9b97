import { badCursor, decodeCursor, encodeCursor, listKey } from './list-cursor.js';

export interface KeyedPageRequest {
  /** Identifies the list: its cursors are valid for no other one. */
  readonly list: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface KeyedPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * Returns a page of a list that is at hand whole, in the order of the items' unique keys. What is added or removed between two pages
 * neither repeats nor hides others. Throws RefusedError `invalid-cursor`.
 */
export function keyedPage<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  { list, limit, cursor }: KeyedPageRequest,
): KeyedPage<T> {
  const of = listKey(list, [], {});
  const after = cursor === undefined ? '' : keyIn(cursor, of);
  const rest = all.filter(item => keyOf(item) > after).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rest.length > limit && last !== undefined ? encodeCursor(of, [keyOf(last)]) : null };
}

function keyIn(cursor: string, list: string): string {
  const [key] = decodeCursor(cursor, list, 1);
  if (typeof key !== 'string') throw badCursor();
  return key;
}
