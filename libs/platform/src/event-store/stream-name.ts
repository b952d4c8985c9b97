/** Splits `<category>-<id>` at the first dash. A name without a dash is a category with an empty id. */
export function splitStream(stream: string): { readonly category: string; readonly id: string } {
  const dash = stream.indexOf('-');
  return dash < 0 ? { category: stream, id: '' } : { category: stream.slice(0, dash), id: stream.slice(dash + 1) };
}

/** Returns the category of a stream, without the id: events are handed out by it. */
export function categoryOf(stream: string): string {
  const dash = stream.indexOf('-');
  return dash < 0 ? stream : stream.slice(0, dash);
}

/** Returns the id of the resource whose stream contains the event. */
export const idOf = ({ stream }: { readonly stream: string }): string => {
  const dash = stream.indexOf('-');
  return dash < 0 ? '' : stream.slice(dash + 1);
};
