import { askFilters } from '../filters/asked.js';
import { DEFAULT_PLACEMENT_POLICY, FILTERS } from '../filters/index.js';
import type { FilterRefusal } from '../model.js';
import type { NodeTable } from '../node-table.js';
import { PASSES } from '../refusal-counts.js';
import { positionOf } from '../shape-rules.js';
import { firstRefusals } from './first-refusals.js';
import { growthOf } from './growth.js';
import type { ExplainedRefusal, ExplainInput, Explanation } from './model.js';
import { searchRemedies } from './search.js';

/** A refusal names at most so many nodes. */
const MOST_NODES = 5;
const SPREAD = positionOf('SPREAD_EXCEEDED');

/**
 * Explains why no node takes the request, and finds the smallest changes after which one does. Pure: the snapshot is as before when it
 * returns; the same snapshot has the same answer unless `hasTime` ends the search. A request that a node can take has no remedies.
 */
export function explain(input: ExplainInput): Explanation {
  const first = firstRefusals(input);
  const refusals = refusalsOf(input, first);
  const passing = first.reduce((sum, position) => (position === PASSES ? sum + 1 : sum), 0);
  const nodes = { total: first.length, passing };
  if (passing > 0) return { nodes, refusals, growth: [], remedies: [], search: { candidates: 0, complete: true } };
  const growth = growthOf(input);
  return { nodes, refusals, growth, ...searchRemedies(input, node => (first[node] ?? 0) >= SPREAD) };
}

/** Returns everything that refuses the request on one node, in the order of the filters. */
export function refusalsOn(
  nodeId: string,
  { table, request, policy = DEFAULT_PLACEMENT_POLICY }: ExplainInput,
): readonly Pick<FilterRefusal, 'code' | 'sentence'>[] {
  const node = table.views.findIndex(({ id }) => id === nodeId);
  if (node < 0) return [];
  const filters = FILTERS.filter(({ code }) => policy.filters.includes(code));
  return askFilters(filters, request, table).flatMap(({ filter: { code, sentence }, refuses }) =>
    refuses(node) ? [{ code, sentence: sentence(request) }] : [],
  );
}

function refusalsOf({ table, request }: ExplainInput, first: Uint8Array): readonly ExplainedRefusal[] {
  return FILTERS.flatMap(({ code, sentence }): readonly ExplainedRefusal[] => {
    const position = positionOf(code);
    const ids = idsAt(table, first, position);
    if (ids.length === 0) return [];
    return [{ code, count: ids.length, sentence: sentence(request), nodes: lowest(ids) }];
  });
}

function idsAt({ views }: NodeTable, first: Uint8Array, position: number): readonly string[] {
  const ids: string[] = [];
  for (let node = 0; node < first.length; node += 1) {
    const view = first[node] === position ? views[node] : undefined;
    if (view !== undefined) ids.push(view.id);
  }
  return ids;
}

/** The first few in the order of the ids, so that the order in which nodes were added does not matter. */
function lowest(ids: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const id of ids) {
    const last = kept[MOST_NODES - 1];
    if (last !== undefined && last <= id) continue;
    kept.push(id);
    kept.sort();
    kept.length = Math.min(kept.length, MOST_NODES);
  }
  return kept;
}
