import type { NodeView, PlacementRequest } from '../placement/index.js';
import { costOf, type Place, type ScaledGroup } from './node-group-autoscaling.js';

/** At most so many nodes are exchanged at once, for at most so many others. */
const MOST_REMOVED = 2;
const MOST_ADDED = 3;
/** So many groups take part in exchanges: with more, there would be too many exchanges to list. */
const MOST_GROUPS = 6;
/** What all simulations of a decision may cost: pairs of a node and a request. */
const MOST_WORK = 50_000;
/** A search that could try fewer exchanges is not begun. */
const FEWEST_SIMULATIONS = 10;

type Counts = readonly number[];

/** A group that may grow, and by how many nodes at most. */
export interface GrowingGroup {
  readonly group: ScaledGroup;
  readonly room: number;
  /** How many nodes it grows by. */
  readonly nodes: number;
}

export interface GrowthToImprove {
  /** Nodes there that may take a request. */
  readonly nodes: readonly NodeView[];
  readonly wanted: readonly PlacementRequest[];
  /** All that may grow, those first that exchanges are to be tried with. */
  readonly groups: () => readonly GrowingGroup[];
  /** How many nodes all groups grow by, and how many requests have a place then. */
  readonly grown: number;
  readonly placed: number;
  readonly place: Place;
}

export interface ImprovedGrowth {
  readonly groups: readonly GrowingGroup[];
  /** The ids of the requests that have a place. */
  readonly placed: ReadonlySet<string>;
}

interface Tried {
  readonly counts: Counts;
  readonly placed: ReadonlySet<string>;
}

/** Returns all ways to take at most so many things, of each kind at most its limit. */
function choices(limits: Counts, most: number): readonly Counts[] {
  let all: readonly Counts[] = [[]];
  for (const limit of limits)
    all = all.flatMap(taken => {
      const left = Math.min(limit, most - taken.reduce((sum, n) => sum + n, 0));
      return Array.from({ length: left + 1 }, (_, n) => [...taken, n]);
    });
  return all;
}

/** Returns the numbers of nodes after each exchange of a few nodes for others. */
function exchanges(counts: Counts, rooms: Counts): readonly Counts[] {
  return choices(counts, MOST_REMOVED).flatMap(removed => {
    const limits = counts.map((n, i) => ((removed[i] ?? 0) > 0 ? 0 : (rooms[i] ?? 0) - n));
    return choices(limits, MOST_ADDED).map(added => counts.map((n, i) => n - (removed[i] ?? 0) + (added[i] ?? 0)));
  });
}

/** Returns the function that sums the cost of the nodes of each priority, the lowest first: those are avoided before all others. */
function costsBy(groups: readonly GrowingGroup[]): (counts: Counts) => Counts {
  const costs = groups.map(({ group }) => costOf(group));
  const priorities = groups.map(({ group }) => group.autoscaling.priority);
  const tiers = [...new Set(priorities)].sort((a, b) => a - b);
  return counts =>
    tiers.map(tier => counts.reduce((sum, n, i) => (priorities[i] === tier ? sum + n * (costs[i] ?? 0) : sum), 0));
}

function compareCosts(a: Counts, b: Counts): number {
  const differences = a.map((cost, i) => cost - (b[i] ?? 0));
  return differences.find(difference => Math.abs(difference) > 1e-9) ?? 0;
}

/** Returns whether the sums of CPUs and memory leave room for all requests. */
function isLargeEnough(
  { nodes, wanted }: GrowthToImprove,
  groups: readonly GrowingGroup[],
): (counts: Counts) => boolean {
  const sizes = groups.map(({ group }) => group.nextNode(0).capacity);
  const lacking = (of: 'cpus' | 'memoryMb'): number =>
    wanted.reduce((sum, request) => sum + request[of], 0) -
    nodes.reduce((sum, { capacity, allocated }) => sum + Math.max(0, capacity[of] - allocated[of]), 0);
  const lack = { cpus: lacking('cpus'), memoryMb: lacking('memoryMb') };
  const has = (counts: Counts, of: 'cpus' | 'memoryMb'): boolean =>
    counts.reduce((sum, n, i) => sum + n * (sizes[i]?.[of] ?? 0), 0) >= lack[of] - 1e-3;
  return counts => has(counts, 'cpus') && has(counts, 'memoryMb');
}

/**
 * Improves growth by exchanges of a few nodes for others: it then places more, or as much with nodes of a higher priority or for less. The
 * cheapest exchange that does is taken, and again from there. Returns undefined when there is none within the bound of the work, which keeps the
 * search to decisions on few nodes and requests; with many, one node more or less does not change the cost much. Pure.
 */
export function improvedGrowth(input: GrowthToImprove): ImprovedGrowth | undefined {
  const { nodes, wanted, place } = input;
  if ((nodes.length + input.grown) * wanted.length * FEWEST_SIMULATIONS > MOST_WORK) return undefined;
  const groups = input.groups().slice(0, MOST_GROUPS);
  const costsOf = costsBy(groups);
  const mayBeEnough = isLargeEnough(input, groups);
  const rooms = groups.map(({ room }) => room);
  const tried: Tried[] = [];
  let work = 0;
  const simulated = (counts: Counts): Tried | undefined => {
    const fresh = groups.flatMap(({ group }, i) => Array.from({ length: counts[i] ?? 0 }, (_, n) => group.nextNode(n)));
    work += (nodes.length + fresh.length) * wanted.length;
    if (work > MOST_WORK) return undefined;
    const decisions = place([...nodes, ...fresh], wanted);
    const placed = new Set(decisions.flatMap(decision => (decision.placed ? [decision.requestId] : [])));
    tried.push({ counts, placed });
    return { counts, placed };
  };
  const better = (counts: Counts, placed: number): Tried | undefined => {
    const isWhole = placed === wanted.length;
    const cost = costsOf(counts);
    const listed = exchanges(counts, rooms)
      .map(other => ({ other, own: costsOf(other), isCheaper: compareCosts(costsOf(other), cost) < 0 }))
      .filter(({ other, isCheaper }) => !isWhole || (isCheaper && mayBeEnough(other)))
      .sort((a, b) => compareCosts(a.own, b.own));
    for (const { other, isCheaper } of listed) {
      const needed = isCheaper ? placed : placed + 1;
      // fewer nodes hardly ever take more
      const isHopeless = tried.some(t => t.placed.size < needed && other.every((n, i) => n <= (t.counts[i] ?? 0)));
      const found = isHopeless ? undefined : simulated(other);
      if (work > MOST_WORK) return undefined;
      if (found && found.placed.size >= needed) return found;
    }
    return undefined;
  };
  let best: Tried | undefined;
  let next = better(
    groups.map(each => each.nodes),
    input.placed,
  );
  while (next) {
    best = next;
    next = better(best.counts, best.placed.size);
  }
  const { counts, placed } = best ?? {};
  return counts && placed && { groups: groups.map((each, i) => ({ ...each, nodes: counts[i] ?? 0 })), placed };
}
