import type { ZoneSpec } from './node-group-spec.js';
import type { Member } from './node-group-state.js';

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
