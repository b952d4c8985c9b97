import { askFilters } from './filters/asked.js';
import type { Filter } from './filters/index.js';
import { amountText } from './filters/room.js';
import type { NodeView, PlacementRequest, Remedy } from './model.js';
import type { NodeTable } from './node-table.js';

/** Returns the smallest change that would make the request fit, by the costs of the filters. Nodes that leave for good are none to change. */
export function smallestRemedy(request: PlacementRequest, filters: readonly Filter[], table: NodeTable): Remedy {
  const needed = askFilters(filters, request, table);
  let best: Remedy | undefined;
  let bestCost = Infinity;
  table.views.forEach((view, node) => {
    if (view.leaving) return;
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
  return best ?? { codes: [], sentence: `Add a node with at least ${amountText(request, 'and')}.` };
}

const allocatedNow = (table: NodeTable, node: number): NodeView['allocated'] => ({
  cpus: ((table.capMilli[node] ?? 0) - (table.freeMilli[node] ?? 0)) / 1000,
  memoryMb: (table.capMemory[node] ?? 0) - (table.freeMemory[node] ?? 0),
});

const capitalised = (sentence: string): string => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
