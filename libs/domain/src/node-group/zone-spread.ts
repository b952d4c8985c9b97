import { getOrCreate } from '../kernel/get-or-create.js';
import { omitUndefined } from '../kernel/json.js';
import { murmur3 } from '../ring/murmur3.js';
import type { GroupPolicies } from './group-policies.js';
import type { MemberDeclaration } from './node-group-events.js';
import type { ZoneSpec } from './node-group-spec.js';
import type { Member } from './node-group-state.js';

function tally(members: Iterable<Pick<Member, 'zone'>>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { zone } of members) counts.set(zone ?? '', (counts.get(zone ?? '') ?? 0) + 1);
  return counts;
}

/**
 * Assigns each new node to the zone with the fewest nodes, on a tie to the first in the list of the group. A zone in `avoid` is used
 * only when there is no other.
 */
export function spreadOverZones(
  zones: readonly ZoneSpec[],
  staying: readonly Pick<Member, 'zone'>[],
  ids: readonly string[],
  firstOrdinal: number,
  avoid: ReadonlySet<string> = new Set(),
): readonly MemberDeclaration[] {
  const counts = tally(staying);
  const allowed = zones.filter(z => !avoid.has(z.name));
  const candidates = allowed.length > 0 ? allowed : zones;
  return ids.map((id, i) => {
    let best: ZoneSpec | undefined;
    for (const zone of candidates) {
      if (!best || (counts.get(zone.name) ?? 0) < (counts.get(best.name) ?? 0)) best = zone;
    }
    if (!best) return { id, ordinal: firstOrdinal + i };
    counts.set(best.name, (counts.get(best.name) ?? 0) + 1);
    return { id, ordinal: firstOrdinal + i, zone: best.name, ...omitUndefined({ region: best.region }) };
  });
}

type SurplusRules = NonNullable<GroupPolicies['deletion']> & {
  /** Nodes that count for their zone and are not chosen; default: none. */
  readonly isKept?: (member: Member) => boolean;
};

/**
 * Returns the nodes to remove so that zones stay even: from zones that are not in the list, then from the fullest zone; there the
 * lowest rank first, then the youngest. A deletion policy may have another order, or leave zones aside.
 */
export function pickSurplus(
  zones: readonly ZoneSpec[],
  staying: readonly Member[],
  howMany: number,
  rank: (member: Member) => number,
  { criteria = 'youngest', byZone: isByZone = true, seed = 0, isKept = () => false }: SurplusRules = {},
): readonly Member[] {
  const listed = new Set(zones.map(z => z.name));
  const byCriteria = {
    youngest: () => 0,
    oldest: (a: Member, b: Member) => a.ordinal - b.ordinal,
    oldestRevision: (a: Member, b: Member) => a.build - b.build,
    random: (a: Member, b: Member) => murmur3(a.id, seed) - murmur3(b.id, seed),
  }[criteria];
  const first = (a: Member, b: Member): number => rank(a) - rank(b) || byCriteria(a, b) || b.ordinal - a.ordinal;
  const byZone = new Map<string, Member[]>();
  const zoneOf = ({ zone = '' }: Member): string => (isByZone ? zone : '');
  for (const member of staying) getOrCreate(byZone, zoneOf(member), (): Member[] => []).push(member);
  const queues = [...byZone].map(([zone, members]) => ({
    stray: isByZone && listed.size > 0 && !listed.has(zone),
    size: members.length,
    left: members.filter(m => !isKept(m)).sort((a, b) => first(b, a)),
  }));
  const picked: Member[] = [];
  while (picked.length < howMany) {
    const open = queues.filter(q => q.left.length > 0);
    const fullest = open.reduce<(typeof open)[number] | undefined>((best, q) => {
      if (!best) return q;
      const by = Number(q.stray) - Number(best.stray) || q.size - best.size;
      const [a, b] = [q.left.at(-1), best.left.at(-1)];
      return by > 0 || (by === 0 && a && b && first(a, b) < 0) ? q : best;
    }, undefined);
    const gone = fullest?.left.pop();
    if (!fullest || !gone) break;
    fullest.size -= 1;
    picked.push(gone);
  }
  return picked;
}

/**
 * Returns the nodes that have to move so that nodes are spread evenly over the zones, with as few moves as possible: all nodes in other
 * zones, then the youngest of zones that have too many. Without zones no node has to move.
 */
export function misplacedMembers(
  zones: readonly ZoneSpec[],
  staying: readonly Member[],
  count: number,
): ReadonlySet<string> {
  if (zones.length === 0) return new Set();
  const listed = new Map(zones.map(zone => [zone.name, zone]));
  const inside = (m: Member): boolean => {
    const zone = listed.get(m.zone ?? '');
    return zone !== undefined && zone.region === m.region;
  };
  const strays = staying.filter(m => !inside(m)).map(m => m.id);
  const replaced = new Set(staying.map(m => m.replaces));
  const byZone = new Map([...listed.keys()].map((name): [string, Member[]] => [name, []]));
  for (const m of staying) if (inside(m) && !replaced.has(m.id)) byZone.get(m.zone ?? '')?.push(m);
  const fullest = [...byZone.values()].sort((a, b) => b.length - a.length);
  const extra = count % fullest.length;
  const surplus = fullest.flatMap((members, i) => {
    const target = Math.floor(count / fullest.length) + (i < extra ? 1 : 0);
    return members.sort((a, b) => a.ordinal - b.ordinal).slice(target);
  });
  return new Set([...strays, ...surplus.map(m => m.id)]);
}
