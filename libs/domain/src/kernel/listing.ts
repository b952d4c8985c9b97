const MOST_ITEMS = 5;
const MOST_CHARACTERS = 200;

/** Returns at most `max` characters for people. An ellipsis shows where the text was cut. */
export const truncate = (text: string, max = MOST_CHARACTERS): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`;

/** Lists the first five items for people, each with at most 200 characters, and the number of further items. */
export function summarizeList(items: readonly string[]): string {
  const more = items.length - MOST_ITEMS;
  const shown = items.slice(0, MOST_ITEMS).map(item => truncate(item));
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
