import type { DriverContext } from './context.js';
import type { Labels, Options } from './specs.js';

/** A node that may go. */
export interface RemovalCandidate {
  readonly id: string;
  readonly name: string;
  readonly ordinal: number;
  readonly zone?: string;
  readonly labels: Labels;
}

/** Asks which nodes of a group go first. */
export interface RemovalRequest {
  readonly clusterId: string;
  readonly nodeGroup: { readonly id: string; readonly name: string };
  /** Those of cluster and group; the group's win. */
  readonly options: Options;
  /** How many of `nodes` are to go. */
  readonly count: number;
  readonly nodes: readonly RemovalCandidate[];
}

/** Advice on the size of node groups; present when the manifest declares the capability `scale`. */
export interface NodeScale {
  /**
   * Returns the ids of nodes, the first to go first. Unknown ids are passed over, and nodes that it leaves out follow in the product's own
   * order, which also holds when it throws or is late. Plans ask it, too: it changes nothing.
   */
  removalOrder(ctx: DriverContext, request: RemovalRequest): Promise<readonly string[]>;
}
