import { DEFAULT_PLACEMENT_POLICY, FILTERS } from '../filters/index.js';
import { demandsOf } from '../place.js';
import { ShapePlacer } from '../shape-placer.js';
import type { ExplainInput } from './model.js';

/** Returns the position of the first filter that refuses each node, by node index. */
export function firstRefusals({
  table,
  request,
  policy = DEFAULT_PLACEMENT_POLICY,
  seed = 0,
}: ExplainInput): Uint8Array {
  const filters = FILTERS.filter(filter => policy.filters.includes(filter.code));
  const shape = {
    shape: request,
    demands: demandsOf(request),
    count: 1,
    table,
    filters,
    policy,
    seed,
    explains: false,
  };
  return new ShapePlacer(shape).firstRefusals();
}
