import { types } from 'node:util';

/**
 * State folded from events that is saved in a snapshot and restored without the events. Every Map and Set of such an object, and every
 * object in it that has `folded` itself, must be listed in `folded`, or in `unfolded` when it does not follow from events or a
 * `SavedField` restores it. Numbers and texts that change must be part of a `SavedField`: no check can find a missing one.
 */
export interface Folded {
  /** The fields, restored in this order. */
  readonly folded: Readonly<Record<string, FoldedField>>;
  readonly unfolded?: readonly string[];
}

/** Values of Maps must not change in place, except Maps and Sets; a field whose values do is a `SavedField`. */
export type FoldedField = Map<string, unknown> | Set<string> | Folded | SavedField;

export interface SavedField {
  /** Returns plain data, Maps and Sets that do not change afterwards. */
  save(): unknown;
  restore(saved: unknown): void;
}

export type SavedFields = ReadonlyMap<string, unknown>;

const isFolded = (value: unknown): value is Folded =>
  typeof value === 'object' && value !== null && 'folded' in value && typeof value.folded === 'object';

export const foldedMembers = (of: object, except: readonly string[] = []): Folded['folded'] =>
  Object.fromEntries(
    Object.entries(of).filter(
      ([name, value]) => !except.includes(name) && (types.isMap(value) || types.isSet(value) || isFolded(value)),
    ),
  ) as Folded['folded'];

/** Throws RangeError where a part of the state is declared neither as folded nor as not folded, and would be lost. */
export function requireComplete({ folded, unfolded = [], ...properties }: Folded, path: string): void {
  const declared = new Set<unknown>(Object.values(folded));
  for (const [name, value] of Object.entries(foldedMembers(properties)))
    if (!declared.has(value) && !unfolded.includes(name))
      throw new RangeError(`${path}: list ${name} in \`folded\` or in \`unfolded\`; see snapshot-fields.ts`);
  for (const [name, field] of Object.entries(folded)) if (isFolded(field)) requireComplete(field, `${path}/${name}`);
}

export function capture(of: Folded, path: string, into = new Map<string, unknown>()): SavedFields {
  for (const [name, field] of Object.entries(of.folded)) {
    const at = `${path}/${name}`;
    if (field instanceof Map) into.set(at, copyOf(field));
    else if (field instanceof Set) into.set(at, new Set(field));
    else if (isFolded(field)) capture(field, at, into);
    else into.set(at, field.save());
  }
  return into;
}

/** Returns whether the saved state has exactly the fields of this object. */
export function fits(of: Folded, path: string, saved: SavedFields): boolean {
  const wanted = [...capture(of, path).keys()];
  const given = [...saved.keys()].filter(key => key.startsWith(`${path}/`));
  return wanted.length === given.length && wanted.every(key => saved.has(key));
}

/** Replaces the state by a saved one that `fits`. */
export function restore(of: Folded, path: string, saved: SavedFields): void {
  for (const [name, field] of Object.entries(of.folded)) {
    const at = `${path}/${name}`;
    const value = saved.get(at);
    if (isFolded(field)) restore(field, at, saved);
    else if (!(field instanceof Map || field instanceof Set)) field.restore(value);
    else {
      field.clear();
      if (field instanceof Map && types.isMap(value)) for (const [key, item] of value) field.set(String(key), item);
      if (field instanceof Set && types.isSet(value)) for (const item of value) field.add(String(item));
    }
  }
}

function copyOf(field: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const copy = new Map(field);
  for (const [key, value] of copy) {
    if (value instanceof Set) copy.set(key, new Set(value));
    else if (value instanceof Map) copy.set(key, new Map(value));
  }
  return copy;
}
