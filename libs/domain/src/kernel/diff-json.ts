/** One difference; `from` is absent for what was added, `to` for what was removed. */
export interface JsonChange {
  /** JSON pointer (RFC 6901); the empty string is the complete value. */
  readonly pointer: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const memberOf = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

function keysOf(from: object, to: object): readonly string[] {
  if (Array.isArray(from)) return Object.keys(from.length >= (to as readonly unknown[]).length ? from : to);
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
}

function collect(from: unknown, to: unknown, pointer: string, into: JsonChange[]): void {
  if (Object.is(from, to)) return;
  if (isComposite(from) && isComposite(to) && Array.isArray(from) === Array.isArray(to)) {
    for (const key of keysOf(from, to))
      collect(memberOf(from, key), memberOf(to, key), `${pointer}/${escaped(key)}`, into);
    return;
  }
  into.push({ pointer, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
}

/**
 * Where two JSON values differ, as deep as they are alike in shape: members by name, in the order of their names, entries of lists by
 * place. A member that is undefined counts as absent. Empty when they are equal.
 */
export function diffJson(from: unknown, to: unknown): readonly JsonChange[] {
  const changes: JsonChange[] = [];
  collect(from, to, '', changes);
  return changes;
}
