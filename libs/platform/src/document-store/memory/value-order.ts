/** Returns the rank of a value's type in MongoDB's order: null, numbers, strings, objects, arrays, booleans. */
function rank(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number') return 1;
  if (typeof value === 'string') return 2;
  if (typeof value === 'boolean') return 5;
  return Array.isArray(value) ? 4 : 3;
}

function comparePrimitive(a: number | string | boolean, b: number | string | boolean): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders two JSON values as MongoDB does, except that objects and arrays are ordered by their JSON text. */
export function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return comparePrimitive(a, b);
  if (typeof a === 'number' && typeof b === 'number') return comparePrimitive(a, b);
  const byRank = rank(a) - rank(b);
  if (byRank !== 0) return byRank;
  if (typeof a === 'boolean' && typeof b === 'boolean') return comparePrimitive(a, b);
  if (typeof a === 'object' && a !== null) return comparePrimitive(JSON.stringify(a), JSON.stringify(b));
  return 0;
}

/** Returns every value at a dotted path, one for each element of an array; `[undefined]` when it is absent. */
export function valuesAt(document: unknown, path: readonly string[], from = 0): readonly unknown[] {
  if (Array.isArray(document)) {
    if (document.length === 0) return [undefined];
    const position = path[from];
    const items: readonly unknown[] = document;
    const indexed =
      position !== undefined && /^\d+$/.test(position) ? valuesAt(items[Number(position)], path, from + 1) : [];
    return [...indexed, ...items.flatMap(item => (Array.isArray(item) ? [item] : valuesAt(item, path, from)))];
  }
  const field = path[from];
  if (field === undefined) return [document];
  if (typeof document !== 'object' || document === null) return [undefined];
  return valuesAt(Reflect.get(document, field), path, from + 1);
}

/** Returns the value to sort a document by: of several the lowest when ascending, else the highest. */
export function sortValue(document: unknown, path: readonly string[], direction: 1 | -1): unknown {
  let plain: unknown = document;
  for (const key of path) {
    if (Array.isArray(plain)) break;
    if (typeof plain !== 'object' || plain === null) return undefined;
    plain = Reflect.get(plain, key);
  }
  if (typeof plain !== 'object' || plain === null) return plain;
  const values = valuesAt(document, path);
  if (values.length < 2) return values[0];
  return values.reduce((best, value) => (compareValues(value, best) * direction < 0 ? value : best));
}
