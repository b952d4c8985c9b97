/** `nodeGroup-<id>` → category and id; a stream without a dash is a category of its own. */
export function splitStream(stream: string): { readonly category: string; readonly id: string } {
  const dash = stream.indexOf('-');
  return dash < 0 ? { category: stream, id: '' } : { category: stream.slice(0, dash), id: stream.slice(dash + 1) };
}

const lowerFirst = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);

/** `NodeGroupCreated` in a stream of category nodeGroup → `stave.nodeGroup.created.v1`. */
export function cloudEventType(category: string, eventType: string, schemaVersion: number): string {
  const prefix = category.charAt(0).toUpperCase() + category.slice(1);
  const rest = eventType.slice(prefix.length);
  const name = eventType.startsWith(prefix) && /^[A-Z]/.test(rest) ? rest : eventType;
  return `stave.${category}.${lowerFirst(name)}.v${schemaVersion}`;
}
