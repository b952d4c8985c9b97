import type { NodeView, PlacementRequest } from '../placement/index.js';
import { costOf, headroomOf, type Place, type ScaledGroup } from './node-group-autoscaling.js';

/** Why a group does not grow. */
export type GrowthCode = 'DISABLED' | 'AT_MAX' | 'WOULD_NOT_FIT' | 'BACKOFF' | 'PAUSED' | 'UPCOMING' | 'QUOTA';

export interface GrowthProposal {
  readonly groupId: string;
  readonly nodes: number;
  /** The requests that have a place with it. */
  readonly places: readonly string[];
}

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

/** Returns how many nodes the group may get now. */
const roomOf = ({ count, maxCount, autoscaling, quotaLeft = Infinity }: ScaledGroup): number =>
  Math.max(0, Math.min(maxCount - count, autoscaling.maxStep, quotaLeft));

function refusalOf(group: ScaledGroup, now: number): GrowthCode | undefined {
  if (!group.autoscaling.enabled) return 'DISABLED';
  if (group.paused) return 'PAUSED';
  if (now < (group.restsUntil ?? 0)) return 'BACKOFF';
  if (group.count >= group.maxCount) return 'AT_MAX';
  return roomOf(group) === 0 ? 'QUOTA' : undefined;
}

const placedOf = (place: Place, nodes: readonly NodeView[], requests: readonly PlacementRequest[]) => {
  const placed = new Set(place(nodes, requests).flatMap(decision => (decision.placed ? [decision.requestId] : [])));
  return requests.filter(({ id }) => placed.has(id));
};

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
function offerOf(group: ScaledGroup, rest: readonly PlacementRequest[], place: Place): Offer | undefined {
  // no more nodes than requests are of use
  const most = Math.min(roomOf(group), rest.length);
  const fresh = Array.from({ length: most }, (_, n) => group.nextNode(n));
  const with_ = (n: number): readonly PlacementRequest[] => placedOf(place, fresh.slice(0, n), rest);
  const all = with_(most);
  if (all.length === 0) return undefined;
  let [low, high] = [1, most];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (with_(middle).length >= all.length) high = middle;
    else low = middle + 1;
  }
  const nodes = fresh.slice(0, low);
  const placed = with_(low);
  return { group, nodes, placed, perCost: placed.length / (low * costOf(group)), waste: wasteOf(nodes, placed) };
}

/** The order of offers: higher priority, most placed per cost, least waste, name. */
const byWorth = (a: Offer, b: Offer): number =>
  b.group.autoscaling.priority - a.group.autoscaling.priority ||
  b.perCost - a.perCost ||
  a.waste - b.waste ||
  (a.group.name < b.group.name ? -1 : 1);

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
  const wanted = [...waiting, ...open.flatMap(headroomOf)];
  const there = new Set(placedOf(place, nodes, wanted).map(({ id }) => id));
  let rest = wanted.filter(({ id }) => !there.has(id));
  const isUpcoming = rest.length === 0 && waiting.length > 0;
  const proposals: GrowthProposal[] = [];
  let known = nodes;
  while (rest.length > 0 && open.length > 0) {
    const offers = open.flatMap(group => offerOf(group, rest, place) ?? []);
    const [best] = offers.sort(byWorth);
    if (!best) break;
    open.splice(open.indexOf(best.group), 1);
    // together with the nodes there: what is apart from their containers, or spread over them, may have no place after all
    known = [...known, ...best.nodes];
    const placed = new Set(placedOf(place, known, wanted).map(({ id }) => id));
    const places = rest.filter(({ id }) => placed.has(id)).map(({ id }) => id);
    if (places.length === 0) {
      known = known.slice(0, known.length - best.nodes.length);
      refused.set(best.group.id, 'WOULD_NOT_FIT');
      continue;
    }
    proposals.push({ groupId: best.group.id, nodes: best.nodes.length, places });
    // more nodes can change where each request goes, so that one that had a place before has none
    rest = wanted.filter(({ id }) => !placed.has(id));
  }
  for (const group of open) refused.set(group.id, isUpcoming ? 'UPCOMING' : 'WOULD_NOT_FIT');
  const asked = new Set(waiting.map(({ id }) => id));
  return {
    proposals,
    refusals: [...refused].map(([groupId, code]) => ({ groupId, code })),
    left: rest.flatMap(({ id }) => (asked.has(id) ? [id] : [])),
  };
}
