const collator = new Intl.Collator('en', { numeric: true });

const nameOf = (item: unknown): string => String((item as { readonly name?: unknown }).name ?? '');

/** Compares names as people do: `workers-2` is before `workers-10`. */
export const byName = (a: unknown, b: unknown): number => collator.compare(nameOf(a), nameOf(b));

/** A list by name that is read whole, with its numbers in order. The server sorts by letters, and other sorts are its own. */
export function inNaturalOrder<T>(items: readonly T[], sort: unknown): readonly T[] {
  if (sort === 'name') return [...items].sort(byName);
  return sort === '-name' ? [...items].sort((a, b) => byName(b, a)) : items;
}
