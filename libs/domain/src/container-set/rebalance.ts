import { largestRemainder } from '../placement/largest-remainder.js';
import type { SetMember } from './container-set-state.js';

export interface PlacedMember extends Pick<SetMember, 'id' | 'addedAt'> {
  /** The zone or node that it is in. */
  readonly unit: string;
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
  const counts = largestRemainder(
    members.length,
    units.map(([, weight]) => weight),
  );
  const shares = new Map(units.map(([unit], i) => [unit, counts[i] ?? 0]));
  return [...byUnit].flatMap(([unit, own]) => {
    const youngest = [...own].sort((a, b) => (a.addedAt < b.addedAt ? 1 : a.addedAt > b.addedAt ? -1 : 0));
    return youngest.slice(0, Math.max(0, own.length - (shares.get(unit) ?? 0))).map(m => m.id);
  });
}
