import { murmur3 } from '../ring/murmur3.js';
import type { SetFacts, StayingMember } from './set-facts.js';

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

/** Returns the n slots that go, one after the other: by rank, then from the fullest zone, then by the criteria, then the highest ordinal. */
export function pickVictims(facts: SetFacts, n: number): readonly Slot[] {
  const { zoneOf, policies } = facts.input;
  const order = byCriteria(facts);
  const open = [...facts.slots.values()].filter(slot => !slot.some(m => m.member.release));
  const left = open.sort((a, b) => rankOf(a) - rankOf(b) || order(a, b));
  if (policies?.deletion?.byZone === false || !zoneOf) return left.slice(0, n);
  const zone = (slot: Slot): string => zoneOf(slot[0]?.member.id ?? '') ?? '';
  const zones = new Map<string, Slot[]>();
  for (const slot of left) {
    const own = zones.get(zone(slot));
    if (own) own.push(slot);
    else zones.set(zone(slot), [slot]);
  }
  const chosen: Slot[] = [];
  while (chosen.length < n) {
    const candidates = [...zones.values()].filter(slots => slots.length > 0);
    const lowest = Math.min(...candidates.map(([first]) => (first ? rankOf(first) : Infinity)));
    const worst = candidates.filter(([first]) => first && rankOf(first) === lowest);
    const fullest = Math.max(...worst.map(slots => slots.length));
    const [next] = worst.filter(slots => slots.length === fullest).sort(([a], [b]) => (a && b ? order(a, b) : 0));
    const victim = next?.shift();
    if (!victim) break;
    chosen.push(victim);
  }
  return chosen;
}
