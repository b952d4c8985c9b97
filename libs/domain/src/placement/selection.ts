import type { Filter } from './filters/index.js';
import { BLOCK_OF_NODES } from './least-room.js';
import { FILTER_CODES, type PlacementRequest } from './model.js';
import type { NodeTable } from './node-table.js';
import { positionOf } from './shape-rules.js';

/** What the fixed filters say about the nodes of a table. */
export interface Selection {
  /** The nodes that no filter refuses. */
  readonly passing: Int32Array;
  /** By block of nodes: where its nodes begin in `passing`; one entry more than there are blocks. */
  readonly blocks: Int32Array;
  /** The position of the first filter that refuses each node; the number of filters for none. */
  readonly first: Uint8Array;
  /** The number of nodes by that position. */
  readonly counts: readonly number[];
  /** By zone. */
  readonly zones: readonly SelectedZone[];
}

/** The number of nodes in a zone, and how many of them no filter refuses. */
export interface SelectedZone {
  nodes: number;
  passing: number;
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
  const zones = Array.from(table.zoneContainers, (): SelectedZone => ({ nodes: 0, passing: 0 }));
  const blocks = new Int32Array(Math.ceil(table.size / BLOCK_OF_NODES) + 1);
  for (let node = 0; node < table.size; node += 1) {
    if (node % BLOCK_OF_NODES === 0) blocks[node / BLOCK_OF_NODES] = passing.length;
    const zone = zones[table.zone[node] ?? 0];
    const refusing = asked.find(({ refuses }) => refuses(node));
    if (zone !== undefined) {
      zone.nodes += 1;
      if (refusing === undefined) zone.passing += 1;
    }
    if (refusing === undefined) passing.push(node);
    else {
      first[node] = refusing.position;
      counts[refusing.position] = (counts[refusing.position] ?? 0) + 1;
    }
  }
  blocks[blocks.length - 1] = passing.length;
  return { passing: Int32Array.from(passing), blocks, first, counts, zones };
}
