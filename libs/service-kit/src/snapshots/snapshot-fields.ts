import { types } from 'node:util';

/**
 * What was folded from events, so that it can be saved and taken up again without the events. Every Map and Set of such an object, and every
 * object in it that has `folded` itself, must be named in `folded`, or in `unfolded` when it does not follow from events or is
 * made again by a `SavedField`. Numbers and texts that change are part of a `SavedField`, too: nobody can see that one is missing.
 */
export interface Folded {
  /** Taken up in this order. */
  readonly folded: Readonly<Record<string, FoldedField>>;
  /** Names of properties. */
  readonly unfolded?: readonly string[];
}

/** Values of Maps are never changed in place, Maps and Sets excepted; a field that does otherwise is a `SavedField`. */
export type FoldedField = Map<string, unknown> | Set<string> | Folded | SavedField;

export interface SavedField {
  /** Plain data, Maps and Sets, which nobody changes afterwards. */
  save(): unknown;
  restore(saved: unknown): void;
}

/** What was saved, by the path of its field. */
export type SavedFields = ReadonlyMap<string, unknown>;

const isFolded = (value: unknown): value is Folded =>
  typeof value === 'object' && value !== null && 'folded' in value && typeof value.folded === 'object';

/** Throws RangeError where something of it would be lost in silence. */
export function requireWhole(of: Folded, path: string): void {
  const declared = new Set<unknown>(Object.values(of.folded));
  for (const [name, value] of Object.entries(of)) {
    if (!(types.isMap(value) || types.isSet(value) || isFolded(value))) continue;
    if (!declared.has(value) && !of.unfolded?.includes(name))
      throw new RangeError(`${path}: ${name} is neither in \`folded\` nor in \`unfolded\`; see folded.ts`);
  }
  for (const [name, field] of Object.entries(of.folded)) if (isFolded(field)) requireWhole(field, `${path}/${name}`);
}

/** As it is now; what happens later does not show in it. */
export function capture(of: Folded, path: string, into = new Map<string, unknown>()): SavedFields {
  for (const [name, field] of Object.entries(of.folded)) {
    const at = `${path}/${name}`;
    if (field instanceof Map) into.set(at, new Map([...field].map(([key, value]) => [key, copied(value)])));
    else if (field instanceof Set) into.set(at, new Set(field));
    else if (isFolded(field)) capture(field, at, into);
    else into.set(at, field.save());
  }
  return into;
}

/** Whether what was saved has exactly the fields of this. */
export function fits(of: Folded, path: string, saved: SavedFields): boolean {
  const wanted = [...capture(of, path).keys()];
  const given = [...saved.keys()].filter(key => key.startsWith(`${path}/`));
  return wanted.length === given.length && wanted.every(key => saved.has(key));
}

/** Takes up what `fits`, in place of what is there. */
export function restore(of: Folded, path: string, saved: SavedFields): void {
  for (const [name, field] of Object.entries(of.folded)) {
    const at = `${path}/${name}`;
    const value = saved.get(at);
    if (field instanceof Map) fill(field, value);
    else if (field instanceof Set) fillSet(field, value);
    else if (isFolded(field)) restore(field, at, saved);
    else field.restore(value);
  }
}

function fill(field: Map<string, unknown>, value: unknown): void {
  field.clear();
  if (types.isMap(value)) for (const [key, member] of value) field.set(String(key), member);
}

function fillSet(field: Set<string>, value: unknown): void {
  field.clear();
  if (types.isSet(value)) for (const member of value) field.add(String(member));
}

function copied(value: unknown): unknown {
  if (value instanceof Set) return new Set(value);
  return value instanceof Map ? new Map(value) : value;
}
