const MOST_ITEMS = 5;
const MOST_CHARACTERS = 200;

/** For people: not longer than `max` characters, and shows where it was cut. */
export const truncate = (text: string, max = MOST_CHARACTERS): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;

/** For people: the first five of them, each cut to 200 characters, and how many more there are. */
export function summarizeList(items: readonly string[]): string {
  const more = items.length - MOST_ITEMS;
  const shown = items.slice(0, MOST_ITEMS).map(item => truncate(item));
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
