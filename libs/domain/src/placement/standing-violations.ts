import { standingAffinity } from './affinity.js';
import { firstRefusals } from './explain/first-refusals.js';
import type { Filter } from './filters/filter.js';
import { placementLists } from './filters/placement-lists.js';
import { utilisationHigh } from './filters/utilisation-high.js';
import { utilisationUnknown } from './filters/utilisation-unknown.js';
import type { FilterCode, PlacementRequest } from './model.js';
import type { NodeTable } from './node-table.js';
import { positionOf } from './shape-rules.js';
import { spreadConstraints, spreadCounts } from './spread.js';
import { sumByDomain } from './topology.js';

/** The rules that can stand broken by what runs: others are asked only when something is placed. */
export type ViolationCode = Extract<
  FilterCode,
  'NOT_IN_PLACEMENT' | 'AFFINITY' | 'ANTI_AFFINITY' | 'UTILISATION_TOO_HIGH' | 'UTILISATION_UNKNOWN' | 'SPREAD_EXCEEDED'
>;

const SPREAD = positionOf('SPREAD_EXCEEDED');

/** Returns by node index where the containers of the request are more than the skew above the least filled unit that is open. */
function standingSpread(request: PlacementRequest, table: NodeTable): (node: number) => boolean {
  const constraints = spreadConstraints(request, table);
  if (constraints.length === 0) return () => false;
  const first = firstRefusals({ table, request });
  const broken = constraints.map(({ rule = 0, topology }) => {
    const counts = sumByDomain(spreadCounts(request, table), topology);
    let least = Infinity;
    for (let node = 0; node < table.size; node += 1)
      if ((first[node] ?? 0) >= SPREAD) least = Math.min(least, counts[topology.of[node] ?? 0] ?? 0);
    const { maxSkew = 1 } = request.spread?.[rule] ?? {};
    return (node: number): boolean => (counts[topology.of[node] ?? 0] ?? 0) - least > maxSkew;
  });
  return node => broken.some(isBroken => isBroken(node));
}

const refusesNow = (filter: Filter, request: PlacementRequest, table: NodeTable): ((node: number) => boolean) =>
  filter.applies(request) ? filter.refuses(request, table) : () => false;

/**
 * Returns the function that says which rules of a container stand broken on the node that it is on. The table has the container; the request
 * is what it demands, under the rules that are asked about. Pure.
 */
export function standingViolations(
  request: PlacementRequest,
  table: NodeTable,
): (nodeId: string) => readonly ViolationCode[] {
  const nodes = new Map(table.views.map(({ id }, node) => [id, node]));
  const isExcluded = refusesNow(placementLists, request, table);
  const isTooUsed = refusesNow(utilisationHigh, request, table);
  const isUseUnknown = refusesNow(utilisationUnknown, request, table);
  const affinity = standingAffinity(request, table);
  const exceeds = standingSpread(request, table);
  return nodeId => {
    const node = nodes.get(nodeId);
    if (node === undefined) return [];
    return [
      ...(isExcluded(node) ? (['NOT_IN_PLACEMENT'] as const) : []),
      ...affinity(node),
      ...(isTooUsed(node) ? (['UTILISATION_TOO_HIGH'] as const) : []),
      ...(isUseUnknown(node) ? (['UTILISATION_UNKNOWN'] as const) : []),
      ...(exceeds(node) ? (['SPREAD_EXCEEDED'] as const) : []),
    ];
  };
}
