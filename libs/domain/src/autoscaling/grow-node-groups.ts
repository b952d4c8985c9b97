import { getOrCreate } from '../kernel/get-or-create.js';
import type { NodeView, PlacementRequest } from '../placement/index.js';
import { exchangedGrowth, type GrowthProposal } from './exchanged-growth.js';
import { GroupKinds, labelsAskedFor } from './group-kinds.js';
import { costOf, headroomOf, placedOf, roomOf, type Place, type ScaledGroup } from './node-group-autoscaling.js';

export type { GrowthProposal };

/** Why a group does not grow. */
export type GrowthCode = 'DISABLED' | 'AT_MAX' | 'WOULD_NOT_FIT' | 'BACKOFF' | 'PAUSED' | 'UPCOMING' | 'QUOTA';

export interface GrowthInput {
  readonly now: number;
  /** Nodes there and upcoming. */
  readonly nodes: readonly NodeView[];
  /** Containers that wait, the oldest first. */
  readonly waiting: readonly PlacementRequest[];
  readonly groups: readonly ScaledGroup[];
  readonly place: Place;
}

export interface NodeGroupGrowth {
  readonly proposals: readonly GrowthProposal[];
  /** Why each other group stays as it is. */
  readonly refusals: readonly { readonly groupId: string; readonly code: GrowthCode }[];
  /** Containers that have no place with all proposals either. */
  readonly left: readonly string[];
}

interface Offer {
  readonly group: ScaledGroup;
  readonly nodes: readonly NodeView[];
  readonly placed: readonly PlacementRequest[];
  readonly perCost: number;
  readonly waste: number;
}

/** Returns the group as it is with so many more nodes. */
const withNodes = (group: ScaledGroup, nodes: number): ScaledGroup => ({
  ...group,
  count: group.count + nodes,
  autoscaling: { ...group.autoscaling, maxStep: group.autoscaling.maxStep - nodes },
  ...(group.quotaLeft === undefined ? {} : { quotaLeft: group.quotaLeft - nodes }),
  nextNode: n => group.nextNode(nodes + n),
});

function refusalOf(group: ScaledGroup, now: number): GrowthCode | undefined {
  if (!group.autoscaling.enabled) return 'DISABLED';
  if (group.paused) return 'PAUSED';
  if (now < (group.restsUntil ?? 0)) return 'BACKOFF';
  if (group.count >= group.maxCount) return 'AT_MAX';
  return roomOf(group) === 0 ? 'QUOTA' : undefined;
}

const sum = (requests: readonly PlacementRequest[], of: 'cpus' | 'memoryMb'): number =>
  requests.reduce((total, request) => total + request[of], 0);

/** Returns the share of the new nodes that nothing uses: the mean of CPUs and memory. */
function wasteOf(nodes: readonly NodeView[], placed: readonly PlacementRequest[]): number {
  const free = (of: 'cpus' | 'memoryMb'): number => {
    const capacity = nodes.reduce((total, node) => total + node.capacity[of], 0);
    return capacity === 0 ? 0 : 1 - sum(placed, of) / capacity;
  };
  return (free('cpus') + free('memoryMb')) / 2;
}

/** Returns the fewest nodes of the group with which as many requests have a place as with all that it may get. */
function offerOf(
  group: ScaledGroup,
  fresh: readonly NodeView[],
  rest: readonly PlacementRequest[],
  place: Place,
): Offer | undefined {
  const known = new Map<number, readonly PlacementRequest[]>();
  const with_ = (n: number): readonly PlacementRequest[] =>
    getOrCreate(known, n, () => placedOf(place, fresh.slice(0, n), rest));
  const all = with_(fresh.length);
  if (all.length === 0) return undefined;
  let [low, high] = [1, fresh.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (with_(middle).length >= all.length) high = middle;
    else low = middle + 1;
  }
  const nodes = fresh.slice(0, low);
  const placed = with_(low);
  return { group, nodes, placed, perCost: placed.length / (low * costOf(group)), waste: wasteOf(nodes, placed) };
}

/**
 * Returns the best offer: only groups of the highest priority that places anything make one, and of groups that are alike for these requests
 * only the first by name. So the cost follows the kinds of groups, not their number.
 */
function bestOffer(
  open: readonly ScaledGroup[],
  rest: readonly PlacementRequest[],
  groupKinds: GroupKinds,
  place: Place,
): Offer | undefined {
  const asks = labelsAskedFor(rest);
  const byPriority = new Map<number, ScaledGroup[]>();
  for (const group of open) getOrCreate(byPriority, group.autoscaling.priority, () => []).push(group);
  for (const priority of [...byPriority.keys()].sort((a, b) => b - a)) {
    const kinds = new Set<string>();
    const offers: Offer[] = [];
    const named = byPriority.get(priority) ?? [];
    for (const group of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      // no more nodes than requests are of use
      const kind = groupKinds.of(group, rest.length, asks);
      if (kinds.has(kind)) continue;
      kinds.add(kind);
      const offer = offerOf(group, groupKinds.next(group, rest.length), rest, place);
      if (offer) offers.push(offer);
    }
    const [best] = offers.sort(byWorth);
    if (best) return best;
  }
  return undefined;
}

/** The order of offers of one priority: most placed per cost, least waste, name. */
const byWorth = (a: Offer, b: Offer): number =>
  b.perCost - a.perCost || a.waste - b.waste || (a.group.name < b.group.name ? -1 : 1);

/**
 * Returns the nodes that may take one of these requests: those with room for the smallest. Where rules of spread or affinity have a say, also
 * full nodes count, and all are returned.
 */
function usefulFor(nodes: readonly NodeView[], wanted: readonly PlacementRequest[]): readonly NodeView[] {
  const isRuled = ({ spread = [], affinity = [], placement }: PlacementRequest): boolean =>
    spread.length > 0 || affinity.length > 0 || placement !== undefined;
  const keepsApart = ({ held = [] }: NodeView): boolean => held.some(({ kind }) => (kind.affinity ?? []).length > 0);
  if (wanted.some(isRuled) || nodes.some(keepsApart)) return nodes;
  const least = (of: 'cpus' | 'memoryMb'): number =>
    wanted.reduce((smallest, request) => Math.min(smallest, request[of]), Infinity);
  const [cpus, memoryMb] = [least('cpus'), least('memoryMb')];
  // what arithmetic with fractions may be off by keeps a node
  return nodes.filter(
    ({ capacity, allocated }) =>
      capacity.cpus - allocated.cpus >= cpus - 1e-3 && capacity.memoryMb - allocated.memoryMb >= memoryMb,
  );
}

/**
 * Decides which node groups grow, and by how many nodes, so that what waits has a place. Containers that have one on nodes there or upcoming
 * propose nothing. Pure: one proposal for each group at most.
 */
export function growNodeGroups({ now, nodes, waiting, groups, place }: GrowthInput): NodeGroupGrowth {
  const refused = new Map<string, GrowthCode>();
  const open: ScaledGroup[] = [];
  for (const group of groups) {
    const code = refusalOf(group, now);
    if (code === undefined) open.push(group);
    else refused.set(group.id, code);
  }
  const growing = [...open];
  const kinds = new GroupKinds();
  const wanted = [...waiting, ...open.flatMap(headroomOf)];
  const useful = usefulFor(nodes, wanted);
  const there = new Set(placedOf(place, useful, wanted).map(({ id }) => id));
  let rest = wanted.filter(({ id }) => !there.has(id));
  const isUpcoming = rest.length === 0 && waiting.length > 0;
  let proposals: Map<string, GrowthProposal> = new Map<string, GrowthProposal>();
  let known = useful;
  while (rest.length > 0 && open.length > 0) {
    const best = bestOffer(open, rest, kinds, place);
    if (!best) break;
    const at = open.indexOf(best.group);
    // together with the nodes there: what is apart from their containers, or spread over them, may have no place after all
    known = [...known, ...best.nodes];
    const placed = new Set(placedOf(place, known, wanted).map(({ id }) => id));
    const places = rest.filter(({ id }) => placed.has(id)).map(({ id }) => id);
    if (places.length === 0) {
      known = known.slice(0, known.length - best.nodes.length);
      open.splice(at, 1);
      if (!proposals.has(best.group.id)) refused.set(best.group.id, 'WOULD_NOT_FIT');
      continue;
    }
    const before = proposals.get(best.group.id);
    proposals.set(best.group.id, {
      groupId: best.group.id,
      nodes: (before?.nodes ?? 0) + best.nodes.length,
      places: [...(before?.places ?? []), ...places],
    });
    // what is left may need more of its nodes
    const more = withNodes(best.group, best.nodes.length);
    open.splice(at, 1, ...(roomOf(more) > 0 ? [more] : []));
    // more nodes can change where each request goes, so that one that had a place before has none
    rest = wanted.filter(({ id }) => !placed.has(id));
  }
  const better = exchangedGrowth({ nodes: useful, wanted, there, groups: growing, kinds, proposals, rest, place });
  if (better) {
    ({ proposals, rest } = better);
    for (const { id } of growing) refused.delete(id);
  }
  for (const { id } of better ? growing : open)
    if (!proposals.has(id)) refused.set(id, isUpcoming ? 'UPCOMING' : 'WOULD_NOT_FIT');
  const asked = new Set(waiting.map(({ id }) => id));
  return {
    proposals: [...proposals.values()],
    refusals: [...refused].map(([groupId, code]) => ({ groupId, code })),
    left: rest.flatMap(({ id }) => (asked.has(id) ? [id] : [])),
  };
}
