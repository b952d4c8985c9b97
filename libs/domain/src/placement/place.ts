import { getOrCreate } from '../kernel/get-or-create.js';
import { DEFAULT_PLACEMENT_POLICY, FILTERS } from './filters.js';
import type { NodeView, PlacementDecision, PlacementPolicy, PlacementRequest } from './model.js';
import { nodeTable } from './node-table.js';
import { ShapePlacer } from './shape-placer.js';

/**
 * Decides where requests go. Pure. Resources given to one request are not available to the next. Requests that differ only in their id
 * are decided together, in the order of the first of them; the answer has the order of the requests. `seed` (32 bits) breaks ties.
 * The nodes must have distinct ids.
 */
export function place(
  nodes: readonly NodeView[],
  requests: readonly PlacementRequest[],
  policy: PlacementPolicy = DEFAULT_PLACEMENT_POLICY,
  seed = 0,
): PlacementDecision[] {
  const table = nodeTable(nodes);
  const filters = FILTERS.filter(filter => policy.filters.includes(filter.code));
  const decisions = new Array<PlacementDecision>(requests.length);
  for (const group of groupsOfEqual(requests)) {
    const placer = new ShapePlacer(group.shape, table, filters, policy, seed);
    for (const { at, id } of group.members) decisions[at] = placer.place(id);
  }
  return decisions;
}

interface Group {
  readonly shape: PlacementRequest;
  readonly members: { readonly at: number; readonly id: string }[];
}

function groupsOfEqual(requests: readonly PlacementRequest[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  requests.forEach((shape, at) => {
    const { id, cpus, memoryMb, nodeSelector, zone, region, hostNode, tolerations, avoid } = shape;
    const key = JSON.stringify([cpus, memoryMb, nodeSelector, zone, region, hostNode, tolerations, avoid]);
    getOrCreate(groups, key, (): Group => ({ shape, members: [] })).members.push({ at, id });
  });
  return groups.values();
}
