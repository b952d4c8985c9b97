import type { SetMember } from './container-set-state.js';

export interface PlacedMember extends Pick<SetMember, 'id' | 'addedAt'> {
  /** The zone or node that it is in. */
  readonly unit: string;
}

/** Returns how many of n members each unit has by its weight: the whole parts, and the rest to the largest fractions, in the order of the list. */
export function sharesOf(n: number, weights: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) return new Map([...weights.keys()].map(unit => [unit, 0]));
  const exact = [...weights].map(([unit, weight]) => ({ unit, quota: (n * weight) / total }));
  const shares = new Map(exact.map(({ unit, quota }) => [unit, Math.floor(quota)]));
  const rest = n - [...shares.values()].reduce((sum, share) => sum + share, 0);
  const largest = [...exact].sort((a, b) => (b.quota % 1) - (a.quota % 1)).slice(0, rest);
  for (const { unit } of largest) shares.set(unit, (shares.get(unit) ?? 0) + 1);
  return shares;
}

/** Returns the members that are above the shares of their units, the youngest first; those of a unit without a share all are. */
export function membersAboveShares(
  members: readonly PlacedMember[],
  weights: ReadonlyMap<string, number>,
): readonly string[] {
  const byUnit = new Map<string, PlacedMember[]>();
  for (const member of members) byUnit.set(member.unit, [...(byUnit.get(member.unit) ?? []), member]);
  // where shares differ by rounding only, the units that have more keep more
  const units = [...weights].sort(([a], [b]) => (byUnit.get(b)?.length ?? 0) - (byUnit.get(a)?.length ?? 0));
  const shares = sharesOf(members.length, new Map(units));
  return [...byUnit].flatMap(([unit, own]) => {
    const youngest = [...own].sort((a, b) => (a.addedAt < b.addedAt ? 1 : a.addedAt > b.addedAt ? -1 : 0));
    return youngest.slice(0, Math.max(0, own.length - (shares.get(unit) ?? 0))).map(m => m.id);
  });
}
