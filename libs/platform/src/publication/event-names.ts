const lowerFirst = (word: string): string => word.charAt(0).toLowerCase() + word.slice(1);

/** Converts `NodeGroupCreated` in a stream of category nodeGroup to `stave.nodeGroup.created.v1`. */
export function cloudEventType(category: string, eventType: string, schemaVersion: number): string {
  const prefix = category.charAt(0).toUpperCase() + category.slice(1);
  const rest = eventType.slice(prefix.length);
  const name = eventType.startsWith(prefix) && /^[A-Z]/.test(rest) ? rest : eventType;
  return `stave.${category}.${lowerFirst(name)}.v${schemaVersion}`;
}
