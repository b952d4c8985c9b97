interface SplitName {
  readonly category: string;
  readonly id: string;
}

/** The name that was split last: all that handle an event split the name of its stream, one right after the other. */
let lastName = '';
let last: SplitName = { category: '', id: '' };

/** Splits `<category>-<id>` at the first dash. A name without a dash is a category with an empty id. */
export function splitStream(stream: string): SplitName {
  if (stream === lastName) return last;
  const dash = stream.indexOf('-');
  last = dash < 0 ? { category: stream, id: '' } : { category: categoryIn(stream, dash), id: stream.slice(dash + 1) };
  lastName = stream;
  return last;
}

/** Events of one category mostly follow each other: the same text, whose hash is known, is found faster than an equal one. */
const categoryIn = (stream: string, dash: number): string =>
  last.category.length === dash && stream.startsWith(last.category) ? last.category : stream.slice(0, dash);

/** Returns the category of a stream, without the id: events are handed out by it. */
export const categoryOf = (stream: string): string => splitStream(stream).category;

/** Returns the id of the resource whose stream contains the event. */
export const idOf = ({ stream }: { readonly stream: string }): string => splitStream(stream).id;
