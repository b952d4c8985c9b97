import { getOrCreate } from '../kernel/get-or-create.js';
import { DEFAULT_PLACEMENT_POLICY, FILTERS } from './filters/index.js';
import type { NodeView, PlacementDecision, PlacementPolicy, PlacementRequest } from './model.js';
import { NodeTable } from './node-table.js';
import { ShapePlacer } from './shape-placer.js';

/** How requests are placed. */
export interface PlaceOptions {
  /** Whether the remedy of a request that has no node is computed. Default: it is. */
  readonly explains?: boolean;
  /** Remembers what requests demand, for whoever places the same objects again and again. */
  readonly demands?: Map<PlacementRequest, string>;
}

/**
 * Decides where requests go. Pure: a table is as before when it returns. Resources given to one request are not available to the next.
 * Requests that differ only in their id are decided together, in the order of the first of them; the answer has the order of the requests.
 * `seed` (32 bits) breaks ties. The nodes must have distinct ids.
 */
export function place(
  nodes: readonly NodeView[] | NodeTable,
  requests: readonly PlacementRequest[],
  policy: PlacementPolicy = DEFAULT_PLACEMENT_POLICY,
  seed = 0,
  { explains = true, demands: known }: PlaceOptions = {},
): PlacementDecision[] {
  const table = nodes instanceof NodeTable ? nodes : new NodeTable(nodes);
  const filters = FILTERS.filter(filter => policy.filters.includes(filter.code));
  const decisions = new Array<PlacementDecision>(requests.length);
  for (const { shape, demands, members } of groupsOfEqual(requests, known)) {
    const placer = new ShapePlacer({ shape, demands, count: members.length, table, filters, policy, seed, explains });
    for (const { at, id } of members) decisions[at] = placer.place(id);
  }
  table.restore();
  return decisions;
}

interface Group {
  readonly shape: PlacementRequest;
  /** Names what the shape demands apart from resources. */
  readonly demands: string;
  readonly members: { readonly at: number; readonly id: string }[];
}

function groupsOfEqual(requests: readonly PlacementRequest[], known?: Map<PlacementRequest, string>): Group[] {
  const groups: Group[] = [];
  // by demands, CPUs and memory: most requests then cost no text of their own
  const byDemands = new Map<string, Map<number, Map<number, Group>>>();
  requests.forEach((shape, at) => {
    const demands = known ? getOrCreate(known, shape, () => demandsOf(shape)) : demandsOf(shape);
    const byCpus = getOrCreate(byDemands, demands, () => new Map<number, Map<number, Group>>());
    const byMemory = getOrCreate(byCpus, shape.cpus, () => new Map<number, Group>());
    const group = getOrCreate(byMemory, shape.memoryMb, () => {
      const created: Group = { shape, demands, members: [] };
      groups.push(created);
      return created;
    });
    group.members.push({ at, id: shape.id });
  });
  return groups;
}

/** Names everything of the request but its id and its resources. Most requests have nothing else. */
export function demandsOf(request: PlacementRequest): string {
  const { id: _id, cpus: _cpus, memoryMb: _memory, ...demands } = request;
  for (const name in demands) if (Object.hasOwn(demands, name)) return JSON.stringify(demands);
  return '';
}
