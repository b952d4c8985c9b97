import type { FilterCode, NodeView, PlacementRequest } from '../model.js';
import type { NodeTable } from '../node-table.js';

/** Says which nodes cannot take a request, why, and what would have to change. */
export interface Filter {
  readonly code: FilterCode;
  /** False when the filter refuses no node whatever it is like, for this request. */
  applies(request: PlacementRequest): boolean;
  /** Compiles the request's question into one per node index, asked in one pass over the table. */
  refuses(request: PlacementRequest, table: NodeTable): (node: number) => boolean;
  /** Why the nodes were refused, for people. */
  sentence(request: PlacementRequest): string;
  /** The change that would let this node pass, and how big it is next to others (1: a small one). */
  remedy(request: PlacementRequest, node: NodeView): { readonly cost: number; readonly sentence: string };
}

/** The common case: a question to the node as it was in the snapshot. */
export function byView(
  refuses: (request: PlacementRequest, node: NodeView) => boolean,
): (request: PlacementRequest, table: NodeTable) => (node: number) => boolean {
  return (request, { views }) =>
    node => {
      const view = views[node];
      return view === undefined || refuses(request, view);
    };
}
