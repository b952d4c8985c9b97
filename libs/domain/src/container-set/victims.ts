import { getOrCreate } from '../kernel/get-or-create.js';
import { murmur3 } from '../ring/murmur3.js';
import type { MemberShares, SetFacts, StayingMember } from './set-facts.js';

type Slot = readonly StayingMember[];

/** 0: failed; 1: not available; 2: outdated; 3: has to leave anyway; 4: any other. Lower ones go first. */
function rankOf(slot: Slot): number {
  if (slot.every(m => m.view.failed)) return 0;
  if (!slot.some(m => m.available)) return 1;
  if (slot.every(m => m.outdated)) return 2;
  return slot.some(m => m.view.mustGo !== undefined) ? 3 : 4;
}

const ordinalOf = (slot: Slot): number => slot[0]?.member.ordinal ?? 0;
const addedAt = (slot: Slot): string => slot[0]?.member.addedAt ?? '';
const revisionOf = (slot: Slot): number => Math.min(...slot.map(m => m.member.revision));

/** Returns the order of slots of one rank: those that sort first go first; then the highest ordinal. */
function byCriteria({ input }: SetFacts): (a: Slot, b: Slot) => number {
  const { criteria = 'youngest', seed = 0 } = input.policies?.deletion ?? {};
  const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const draw = (slot: Slot): number => murmur3(slot[0]?.member.id ?? '', seed);
  const compare = {
    youngest: (a: Slot, b: Slot) => text(addedAt(b), addedAt(a)),
    oldest: (a: Slot, b: Slot) => text(addedAt(a), addedAt(b)),
    oldestRevision: (a: Slot, b: Slot) => revisionOf(a) - revisionOf(b),
    random: (a: Slot, b: Slot) => draw(a) - draw(b),
  }[criteria];
  return (a, b) => compare(a, b) || ordinalOf(b) - ordinalOf(a);
}

/** Groups the slots, each group in the order in which they are given. */
function grouped<K>(slots: readonly Slot[], keyOf: (slot: Slot) => K): ReadonlyMap<K, Slot[]> {
  const groups = new Map<K, Slot[]>();
  for (const slot of slots) getOrCreate(groups, keyOf(slot), (): Slot[] => []).push(slot);
  return groups;
}

interface Units<K> {
  readonly unitOf: (slot: Slot) => K;
  /** How much too full a unit is with so many members of those that may go. */
  readonly surplusOf: (unit: K, left: number) => number;
}

/** Units by the shares of the placement policy. What waits for its release goes anyway; what has no node is in no place. */
function byShares(facts: SetFacts, shares: MemberShares, open: readonly Slot[]): Units<number | undefined> {
  const unitOf = (slot: Slot): number | undefined => shares.placeOf(slot[0]?.member.id ?? '');
  const began = grouped(open, unitOf);
  const going = grouped([...facts.slots.values()].filter(isGoing), unitOf);
  return {
    unitOf,
    surplusOf: (place, left) => {
      if (place === undefined) return Infinity;
      const taken = (began.get(place)?.length ?? 0) - left + (going.get(place)?.length ?? 0);
      return shares.balance(place) - taken;
    },
  };
}

const isGoing = (slot: Slot): boolean => slot.some(m => m.member.release);

/** Takes n slots: of the lowest rank, then from the fullest unit, then in their order. */
function takeFrom<K>(
  left: readonly Slot[],
  n: number,
  { unitOf, surplusOf }: Units<K>,
  order: (a: Slot, b: Slot) => number,
): readonly Slot[] {
  const units = grouped(left, unitOf);
  const chosen: Slot[] = [];
  while (chosen.length < n) {
    const candidates = [...units].flatMap(([unit, [first, ...more]]) =>
      first ? [{ first, rank: rankOf(first), surplus: surplusOf(unit, more.length + 1), unit }] : [],
    );
    const [next] = candidates.sort(
      (a, b) => a.rank - b.rank || descending(a.surplus, b.surplus) || order(a.first, b.first),
    );
    const victim = next && units.get(next.unit)?.shift();
    if (!victim) break;
    chosen.push(victim);
  }
  return chosen;
}

/** Infinity minus infinity is not a number. */
const descending = (a: number, b: number): number => (a === b ? 0 : b > a ? 1 : -1);

/**
 * Returns the n slots that go, one after the other: by rank, then from the largest surplus, then by the criteria, then the highest ordinal.
 * The surplus is against the shares of the placement policy, else that of the fullest zone.
 */
export function pickVictims(facts: SetFacts, n: number): readonly Slot[] {
  const { zoneOf, sharesOf, policies } = facts.input;
  const order = byCriteria(facts);
  const open = [...facts.slots.values()].filter(slot => !isGoing(slot));
  const left = [...open].sort((a, b) => rankOf(a) - rankOf(b) || order(a, b));
  const shares = sharesOf?.(open.length - n);
  if (shares) return takeFrom(left, n, byShares(facts, shares, open), order);
  if (policies?.deletion?.byZone === false || !zoneOf) return left.slice(0, n);
  const zone = (slot: Slot): string => zoneOf(slot[0]?.member.id ?? '') ?? '';
  return takeFrom(left, n, { unitOf: zone, surplusOf: (_zone, size) => size }, order);
}
