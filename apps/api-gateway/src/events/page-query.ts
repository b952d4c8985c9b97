import { badCursor } from '@stave/platform';

type Query = Readonly<Record<string, unknown>>;

const DEFAULT_LIMIT = 50;

export const pageLimit = (query: Query): number =>
  typeof query['limit'] === 'number' ? query['limit'] : DEFAULT_LIMIT;

/** The position or revision in a cursor of an event page. Throws RefusedError (400) for anything else. */
export function positionCursor(query: Query): number | undefined {
  const text = query['cursor'];
  if (text === undefined) return undefined;
  const position = typeof text === 'string' && /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(position)) throw badCursor();
  return position;
}
