import type { Filter } from './filters.js';
import type { FilterRefusal, NodeView, PlacementRequest, Remedy } from './model.js';
import type { NodeTable } from './node-table.js';

/** What the filters say about the nodes of a table, as far as it does not depend on their resources. */
export interface Selection {
  /** The nodes that no filter refuses. */
  readonly passing: Int32Array;
  /** The number of nodes that each filter is the first to refuse. */
  readonly counts: readonly number[];
}

/** Returns the nodes that pass the filters. The table remembers the answer for the next request of that kind. */
export function selection(
  request: PlacementRequest,
  demands: string,
  filters: readonly Filter[],
  table: NodeTable,
): Selection {
  const question = `${demands}/${filters.map(filter => filter.code).join()}`;
  return table.answer(question, () => select(request, filters, table));
}

function select(request: PlacementRequest, filters: readonly Filter[], table: NodeTable): Selection {
  const counts = filters.map(() => 0);
  const asked = filters.flatMap((filter, at) =>
    filter.code !== 'INSUFFICIENT_ROOM' && filter.applies(request)
      ? [{ at, refuses: filter.refuses(request, table) }]
      : [],
  );
  const passing: number[] = [];
  for (let node = 0; node < table.size; node += 1) {
    const refusing = asked.find(({ refuses }) => refuses(node));
    if (refusing === undefined) passing.push(node);
    else counts[refusing.at] = (counts[refusing.at] ?? 0) + 1;
  }
  return { passing: Int32Array.from(passing), counts };
}

/** Counts the nodes that filters refuse for one shape of request. Nodes without the resources are added one by one. */
export class Refusals {
  private readonly counts: number[];
  private list: readonly FilterRefusal[] | undefined;

  constructor(
    private readonly request: PlacementRequest,
    private readonly filters: readonly Filter[],
    selected: Selection,
  ) {
    this.counts = [...selected.counts];
  }

  /** Counts nodes without the resources. */
  full(nodes: number): void {
    const at = this.filters.findIndex(filter => filter.code === 'INSUFFICIENT_ROOM');
    this.counts[at] = (this.counts[at] ?? 0) + nodes;
    this.list = undefined;
  }

  all(): readonly FilterRefusal[] {
    this.list ??= this.filters.flatMap(({ code, sentence }, at) => {
      const count = this.counts[at] ?? 0;
      return count === 0 ? [] : [{ code, count, sentence: sentence(this.request) }];
    });
    return this.list;
  }
}
/** Returns the smallest change that would make the request fit, by the costs of the filters. */
export function smallestRemedy(request: PlacementRequest, filters: readonly Filter[], table: NodeTable): Remedy {
  const needed = filters
    .filter(filter => filter.applies(request))
    .map(filter => ({ filter, refuses: filter.refuses(request, table) }));
  let best: Remedy | undefined;
  let bestCost = Infinity;
  table.views.forEach((view, node) => {
    const now = { ...view, allocated: allocatedNow(table, node) };
    const changes = needed
      .filter(({ refuses }) => refuses(node))
      .map(({ filter }) => ({ filter, ...filter.remedy(request, now) }));
    const cost = changes.reduce((sum, change) => sum + change.cost, 0);
    if (cost > bestCost || (cost === bestCost && view.id > (best?.nodeId ?? view.id))) return;
    bestCost = cost;
    const sentence = capitalised(changes.map(change => change.sentence).join(' and '));
    best = { nodeId: view.id, codes: changes.map(change => change.filter.code), sentence };
  });
  return best ?? { codes: [], sentence: `Add a node with at least ${request.cpus} CPUs and ${request.memoryMb} MB.` };
}

const allocatedNow = (table: NodeTable, node: number): NodeView['allocated'] => ({
  cpus: ((table.capMilli[node] ?? 0) - (table.freeMilli[node] ?? 0)) / 1000,
  memoryMb: (table.capMemory[node] ?? 0) - (table.freeMemory[node] ?? 0),
});

const capitalised = (sentence: string): string => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
