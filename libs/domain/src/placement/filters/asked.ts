import type { PlacementRequest } from '../model.js';
import type { NodeTable } from '../node-table.js';
import type { Filter } from './filter.js';

/** A filter with its answer for each node. */
export interface AskedFilter {
  readonly filter: Filter;
  readonly refuses: (node: number) => boolean;
}

/** Asks those of the filters that apply to the request. They are in the order of all filters: each compares only nodes that those before it let pass. */
export function askFilters(
  filters: readonly Filter[],
  request: PlacementRequest,
  table: NodeTable,
): readonly AskedFilter[] {
  const asked: AskedFilter[] = [];
  for (const filter of filters) {
    if (!filter.applies(request)) continue;
    const before = [...asked];
    const isOpen = (node: number): boolean => !before.some(({ refuses }) => refuses(node));
    asked.push({ filter, refuses: filter.refuses(request, table, isOpen) });
  }
  return asked;
}
