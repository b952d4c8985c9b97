import type { FilterCode, NodeView, PlacementRequest } from '../model.js';
import type { NodeTable } from '../node-table.js';

/** `isOpen`: whether a node passes the filters that are asked before; default: all do. */
export type Refuses = (
  request: PlacementRequest,
  table: NodeTable,
  isOpen?: (node: number) => boolean,
) => (node: number) => boolean;

/** Decides which nodes cannot take a request, and explains why and what would have to change. */
export interface Filter {
  readonly code: FilterCode;
  /**
   * Whether the answer follows from the request and from what {@link NodeTable.answer} is remembered for. Other filters are asked again for
   * each shape, and for the chosen node after each placement.
   */
  readonly isFixed: boolean;
  /** Returns false when the filter refuses no node for this request. */
  readonly applies: (request: PlacementRequest) => boolean;
  /** Compiles the question of the request into a test of one node, which is called once for each node of the table. */
  readonly refuses: Refuses;
  /** Returns the reason of the refusal, for users. */
  readonly sentence: (request: PlacementRequest) => string;
  /** Returns the change that would let this node pass, and how big it is next to others (1: a small one). */
  readonly remedy: (request: PlacementRequest, node: NodeView) => { readonly cost: number; readonly sentence: string };
}

/** Tests the node as it was in the snapshot. */
export const byView =
  (refuses: (request: PlacementRequest, node: NodeView) => boolean): Refuses =>
  (request, { views }) =>
  node => {
    const view = views[node];
    return view === undefined || refuses(request, view);
  };
