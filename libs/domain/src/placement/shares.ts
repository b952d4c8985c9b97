import { largestRemainder } from './largest-remainder.js';
import { isNode, isRegion, isZone } from './listed-places.js';
import type { NodeView, PlacementRequest, PlacementRules } from './model.js';
import type { NodeTable } from './node-table.js';
import { spreadCounts, type Preference } from './spread.js';
import { sumByDomain, type Topology } from './topology.js';

const DEFAULT_WEIGHT = 100;

/** One list of a placement policy. The places that it lists are domains; the last domain has the nodes that it does not list. */
interface List {
  readonly topology: Topology;
  readonly weights: readonly number[];
}

function listOf<E extends { readonly weight?: number }>(
  entries: readonly E[] | undefined,
  matches: (entry: E, node: NodeView) => boolean,
  table: NodeTable,
): List | undefined {
  if (entries === undefined || entries.length === 0) return undefined;
  const of = Int32Array.from(table.views, view => {
    const at = entries.findIndex(entry => matches(entry, view));
    return at < 0 ? entries.length : at;
  });
  const topology = { by: 'list', of, size: entries.length + 1 };
  return { topology, weights: entries.map(({ weight = DEFAULT_WEIGHT }) => weight) };
}

/** Returns for each place of the list the place of the wider list that most of its nodes are in: the one of its first node. */
function parents({ topology, weights }: List, wider: List | undefined): readonly number[] {
  const found = weights.map(() => 0);
  if (wider === undefined) return found;
  for (let node = topology.of.length - 1; node >= 0; node -= 1) {
    const domain = topology.of[node] ?? 0;
    if (domain < found.length) found[domain] = wider.topology.of[node] ?? 0;
  }
  return found;
}

/** Shares each place's members among the places in it. */
function sharesOf(list: List, wider: List | undefined, available: readonly number[]): readonly number[] {
  const parent = parents(list, wider);
  const shares = list.weights.map(() => 0);
  for (const place of new Set(parent)) {
    const inside = list.weights.flatMap((weight, at) => (parent[at] === place ? [{ weight, at }] : []));
    const parts = largestRemainder(
      available[place] ?? 0,
      inside.map(({ weight }) => weight),
    );
    inside.forEach(({ at }, i) => {
      shares[at] = parts[i] ?? 0;
    });
  }
  return shares;
}

/** The containers of a set above the shares of the places that a placement policy lists. */
export interface ShareSurplus {
  /** Returns the place of a node: one of the finest list. */
  readonly placeOf: (nodeId: string) => number | undefined;
  /** How many are above the share of each place; all those where nothing is listed. */
  readonly above: (place: number) => number;
  /** As {@link above}, negative where members are missing. */
  readonly balance: (place: number) => number;
}

/** Compares where the containers of the set are with the shares of the policy; undefined where it lists no places. */
export function shareSurplus(request: PlacementRequest, table: NodeTable): ShareSurplus | undefined {
  const finest = sharePreferences(request, table, 0).at(-1);
  if (finest === undefined) return undefined;
  const places = new Map(table.views.map(({ id }, node) => [id, finest.topology.of[node] ?? 0]));
  return {
    placeOf: nodeId => places.get(nodeId),
    above: place => Math.max(0, finest.value(place)),
    balance: finest.value,
  };
}

/**
 * Returns the shares of the placement policy as preferences: where the share of the members exceeds their count most comes first, by regions,
 * then by zones in them, then by nodes; nodes that are not listed come last. `more`: the members that are asked for now.
 */
export function sharePreferences(request: PlacementRequest, table: NodeTable, more: number): readonly Preference[] {
  const rules: PlacementRules = request.placement ?? {};
  const regions = listOf(rules.regions, isRegion, table);
  const zones = listOf(rules.zones, isZone, table);
  const nodes = listOf(rules.nodes, isNode, table);
  if (regions === undefined && zones === undefined && nodes === undefined) return [];
  const counts = [...spreadCounts(request, table)];
  const members = request.members ?? counts.reduce((sum, [, count]) => sum + count, 0) + more;
  const preferences: Preference[] = [];
  let wider: List | undefined;
  let available: readonly number[] = [members];
  for (const list of [regions, zones, nodes]) {
    if (list === undefined) continue;
    const shares = sharesOf(list, wider, available);
    const there = sumByDomain(counts, list.topology);
    const unlisted = list.weights.length;
    preferences.push({
      topology: list.topology,
      value: domain => (domain === unlisted ? Infinity : (there[domain] ?? 0) - (shares[domain] ?? 0)),
      placed: domain => {
        there[domain] = (there[domain] ?? 0) + 1;
      },
    });
    wider = list;
    available = shares;
  }
  return preferences;
}
