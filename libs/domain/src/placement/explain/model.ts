import type { FilterCode, FilterRefusal, NodeView, PlacementPolicy, PlacementRequest } from '../model.js';
import type { NodeTable } from '../node-table.js';

/** A request of the API. */
export interface RemedyAction {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** A node group that could get one more node. */
export interface GrowableGroup {
  readonly id: string;
  readonly name: string;
  /** Its next node, as it would be: empty, ready, with an id that no node has. */
  readonly node: NodeView;
  /** Returns the n-th node after that; default: nodes like it. */
  readonly later?: (n: number) => NodeView;
  readonly count: number;
  readonly maxCount?: number;
  readonly isAutoscaled: boolean;
  /** Why it does not grow now whatever it could take. */
  readonly blocked?: {
    readonly code: 'BACKOFF' | 'PAUSED' | 'UPCOMING' | 'QUOTA';
    readonly sentence: string;
    /** It does not grow by itself, but a user can resize it. */
    readonly isOpenToUsers?: true;
  };
}

export interface ExplainInput {
  /** The snapshot. It is changed for the search and is as before when the explanation is returned. */
  readonly table: NodeTable;
  readonly request: PlacementRequest;
  readonly policy?: PlacementPolicy;
  readonly seed?: number;
  readonly groups?: readonly GrowableGroup[];
  /** Returns the containers on a node that may be moved; absent where containers cannot be moved. */
  readonly movableOn?: (nodeId: string) => readonly PlacementRequest[];
  /** Returns the actions that change the request so; undefined where the API cannot. Without it, only nodes and groups are changed. */
  readonly changeRequest?: (after: PlacementRequest) => readonly RemedyAction[] | undefined;
  /** What the request replaces and has to wait for: its set would take that away first if one more of its members might be missing. */
  readonly predecessor?: {
    readonly nodeId: string;
    readonly request: PlacementRequest;
    readonly actions: readonly RemedyAction[];
  };
  /** What waits longer than the request: it is placed before. */
  readonly ahead?: readonly PlacementRequest[];
  /** Returns the action that moves a container; undefined where the API cannot. */
  readonly moveContainer?: (id: string) => RemedyAction | undefined;
  /** Asked now and then while nodes are examined and changes are simulated; false ends the search. */
  readonly hasTime?: () => boolean;
}

export interface ExplainedRefusal extends FilterRefusal {
  /** The ids of at most five of the nodes. */
  readonly nodes: readonly string[];
}

export type GrowthCode = 'DISABLED' | 'AT_MAX' | 'WOULD_NOT_FIT' | 'BACKOFF' | 'PAUSED' | 'UPCOMING' | 'QUOTA';

export interface Growth {
  readonly nodeGroup: string;
  readonly code: GrowthCode;
  readonly sentence: string;
}

/** Changes after which the request is placed and everybody else keeps or finds a place: a simulation has shown it. */
export interface VerifiedRemedy {
  readonly actions: readonly RemedyAction[];
  /** What refuses the request now. */
  readonly codes: readonly FilterCode[];
  readonly cost: number;
  readonly verified: true;
  /** The id of the node that the request would get; absent for one that has to be built. */
  readonly nodeId?: string;
  /** The number of containers that would be placed: the request, and those that are moved for it. */
  readonly places: number;
  readonly sentence: string;
}

export interface Explanation {
  readonly nodes: { readonly total: number; readonly passing: number };
  /** Each node counts at the first filter that refuses it. */
  readonly refusals: readonly ExplainedRefusal[];
  readonly growth: readonly Growth[];
  /** The smallest first. */
  readonly remedies: readonly VerifiedRemedy[];
  readonly search: {
    /** The sets of changes that were simulated. */
    readonly candidates: number;
    /** Whether nothing cheaper than the remedies exists. False when the search was cut short. */
    readonly complete: boolean;
  };
}

/** One atomic change of a remedy. */
export interface Change {
  /** The filter that refuses because of it. */
  readonly code: FilterCode;
  /** Names the change: the same for the same change. */
  readonly id: string;
  readonly cost: number;
  readonly sentence: string;
  readonly actions?: readonly RemedyAction[];
  readonly request?: (request: PlacementRequest) => PlacementRequest;
  readonly node?: (view: NodeView) => NodeView;
  /** The id of the node that `node` changes. */
  readonly nodeId?: string;
  readonly adds?: readonly NodeView[];
  /** The next larger change of the same kind, for what the changes are too small for. */
  readonly more?: () => readonly Change[] | undefined;
  readonly moves?: readonly PlacementRequest[];
}
