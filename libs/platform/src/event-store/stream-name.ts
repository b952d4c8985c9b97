/** `nodeGroup-<id>` → category and id; a stream without a dash is a category of its own. */
export function splitStream(stream: string): { readonly category: string; readonly id: string } {
  const dash = stream.indexOf('-');
  return dash < 0 ? { category: stream, id: '' } : { category: stream.slice(0, dash), id: stream.slice(dash + 1) };
}

/** Of the resource in whose stream it stands. */
export const idOf = ({ stream }: { readonly stream: string }): string => splitStream(stream).id;
