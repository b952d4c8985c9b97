import type { Filter } from './filters.js';
import type { FilterRefusal, NodeView, PlacementRequest, Remedy } from './model.js';
import type { NodeTable } from './node-table.js';

/** Counts the nodes that filters refuse for one shape of request. Nodes that fill up during a batch are added. */
export class Refusals {
  private readonly counts: number[];
  private list: readonly FilterRefusal[] | undefined;

  constructor(
    private readonly request: PlacementRequest,
    private readonly filters: readonly Filter[],
  ) {
    this.counts = filters.map(() => 0);
  }

  /** Returns the nodes that no filter refuses, and counts the others at the first filter that does. */
  pass(table: NodeTable): number[] {
    const questions = this.filters.map(filter =>
      filter.applies(this.request) ? filter.refuses(this.request, table) : (): boolean => false,
    );
    const passed: number[] = [];
    for (let node = 0; node < table.views.length; node += 1) {
      const refusing = questions.findIndex(refuses => refuses(node));
      if (refusing < 0) passed.push(node);
      else this.counts[refusing] = (this.counts[refusing] ?? 0) + 1;
    }
    return passed;
  }

  /** Counts a node that this batch has filled. */
  full(): void {
    const at = this.filters.findIndex(filter => filter.code === 'INSUFFICIENT_ROOM');
    this.counts[at] = (this.counts[at] ?? 0) + 1;
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
    if (cost >= bestCost) return;
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
