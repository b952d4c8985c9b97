import type { Filter } from './filters/index.js';
import { FILTER_CODES, type PlacementRequest } from './model.js';
import type { NodeTable } from './node-table.js';
import { positionOf } from './shape-rules.js';

/** What the fixed filters say about the nodes of a table. */
export interface Selection {
  /** The nodes that no filter refuses. */
  readonly passing: Int32Array;
  /** The position of the first filter that refuses each node; the number of filters for none. */
  readonly first: Uint8Array;
  /** The number of nodes by that position. */
  readonly counts: readonly number[];
}

/** Asks the fixed filters. The table remembers the answer for the next request of that kind. */
export function selection(
  request: PlacementRequest,
  demands: string,
  filters: readonly Filter[],
  table: NodeTable,
): Selection {
  const question = `nodes ${demands} ${filters.map(filter => filter.code).join()}`;
  return table.answer(question, () => select(request, filters, table));
}

function select(request: PlacementRequest, filters: readonly Filter[], table: NodeTable): Selection {
  const first = new Uint8Array(table.size).fill(FILTER_CODES.length);
  const asked = filters.flatMap(filter =>
    filter.isFixed && filter.applies(request)
      ? [{ position: positionOf(filter.code), refuses: filter.refuses(request, table) }]
      : [],
  );
  const passing: number[] = [];
  const counts = new Array<number>(FILTER_CODES.length).fill(0);
  for (let node = 0; node < table.size; node += 1) {
    const refusing = asked.find(({ refuses }) => refuses(node));
    if (refusing === undefined) passing.push(node);
    else {
      first[node] = refusing.position;
      counts[refusing.position] = (counts[refusing.position] ?? 0) + 1;
    }
  }
  return { passing: Int32Array.from(passing), first, counts };
}
