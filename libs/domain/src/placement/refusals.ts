import type { Filter } from './filters/filter.js';
import { fitsFilter } from './filters/fits.filter.js';
import type { PlacementRequest, FilterRefusal, Remedy } from './model.js';
import type { NodeTable } from './node-table.js';

/** What filters refused for one shape of request; nodes that fill up during a batch are added. */
export class Refusals {
  private readonly counts: number[];
  private list: readonly FilterRefusal[] | undefined;

  constructor(
    private readonly request: PlacementRequest,
    private readonly filters: readonly Filter[],
  ) {
    this.counts = filters.map(() => 0);
  }

  /** The nodes that no filter refuses; the others are counted at the first that does. */
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

  /** Counts a node that was filled by this very batch. */
  full(): void {
    const at = this.filters.indexOf(fitsFilter);
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

/** The smallest change that would make the request fit: the node that needs least, by the filters' own costs. */
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

function allocatedNow(table: NodeTable, node: number): { cpus: number; memoryMb: number } {
  return {
    cpus: ((table.capMilli[node] ?? 0) - (table.freeMilli[node] ?? 0)) / 1000,
    memoryMb: (table.capMemory[node] ?? 0) - (table.freeMemory[node] ?? 0),
  };
}

function capitalised(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}
