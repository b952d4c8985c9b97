import type { Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { AbandonedResource } from '../kernel/abandoned.js';
import type { DomainEvent } from '../kernel/decider.js';
import type {
  OperationCancelRequested,
  OperationEnded,
  OperationStart,
  PlannedOperation,
} from '../kernel/operation.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupSpec } from './node-group-spec.js';
import type { UpdateStrategy } from './update-strategy.js';

export interface MemberDeclaration {
  readonly id: string;
  readonly ordinal: number;
  readonly zone?: string;
  readonly region?: string;
  /** The member that leaves when this one is built. */
  readonly replaces?: string;
}

export interface NodeGroupDeclaration {
  readonly id: string;
  readonly clusterId: string;
  readonly projectId: string;
  readonly name: string;
  readonly spec: NodeGroupSpec;
  /** The operation that made it: its own, or the creation of its cluster. */
  readonly operationId: string;
  /** Only when it was created by a request of its own. */
  readonly operation?: OperationStart;
  /** The creation of its cluster was accepted with a plan. */
  readonly planned?: PlannedOperation;
  /** What it was made from, as that was named then; it may be gone since. */
  readonly source?: SourceRef;
  /** Where each value of the specification came from. */
  readonly origins?: Origins;
}

/** The update strategy is decided with the creation, so that a later default changes no group that is there. */
export interface DecidedNodeGroup extends NodeGroupDeclaration {
  readonly spec: NodeGroupSpec & { readonly updateStrategy: Required<UpdateStrategy> };
}

/** A group exists in its cluster. */
export type NodeGroupCreated = DomainEvent<'NodeGroupCreated', DecidedNodeGroup>;
/** These nodes belong to it from now on; nodegroup-service declares them. */
export type NodesAdded = DomainEvent<
  'NodesAdded',
  { readonly nodes: readonly MemberDeclaration[]; readonly reason: string; readonly operationId: string }
>;
/** These nodes shall go; `count` is the wanted count from now on. */
export type NodeRemovalAccepted = DomainEvent<
  'NodeRemovalAccepted',
  {
    readonly nodeIds: readonly string[];
    readonly count: number;
    readonly minCount?: number;
    readonly reason: string;
    readonly operationId: string;
    readonly operation?: OperationStart;
    /** What cannot be removed is given up. */
    readonly force?: boolean;
  }
>;
/** A person asked to replace this node; its successor is added with it. */
export type NodeReplacementAccepted = DomainEvent<
  'NodeReplacementAccepted',
  { readonly nodeId: string; readonly successor: MemberDeclaration; readonly operation: OperationStart }
>;
/** The wanted count changed. */
export type NodeGroupResized = DomainEvent<
  'NodeGroupResized',
  { readonly count: number; readonly operation: OperationStart }
>;
/** Attributes changed; with an operation where its nodes have to follow. */
export type NodeGroupUpdated = DomainEvent<
  'NodeGroupUpdated',
  { readonly changes: NodeGroupChanges; readonly operation?: OperationStart }
>;
/** All its nodes shall be built anew in place, a few at a time; without an operation of its own for its cluster's. */
export type NodeGroupRebuildRequested = DomainEvent<
  'NodeGroupRebuildRequested',
  { readonly operationId: string; readonly operation?: OperationStart; readonly planned?: PlannedOperation }
>;
/** All its nodes shall be restarted, a few at a time; without an operation of its own for its cluster's. */
export type NodeGroupRebootRequested = DomainEvent<
  'NodeGroupRebootRequested',
  {
    readonly operationId: string;
    readonly operation?: OperationStart;
    readonly planned?: PlannedOperation;
    readonly type: 'soft' | 'hard';
  }
>;
/** What was given up or called off shall go on. */
export type NodeGroupRetryRequested = DomainEvent<'NodeGroupRetryRequested', { readonly operation: OperationStart }>;
/** It is these nodes' turn to be rebuilt or restarted. */
export type RolloutBatchAccepted = DomainEvent<
  'RolloutBatchAccepted',
  { readonly nodeIds: readonly string[]; readonly operationId: string }
>;
/** Removed nodes are off the infrastructure, but for those that were given up. */
export type NodesRemoved = DomainEvent<
  'NodesRemoved',
  { readonly nodeIds: readonly string[]; readonly abandoned?: readonly AbandonedResource[] }
>;
/** Every wanted node is there and ready. */
export type NodeGroupBecameActive = DomainEvent<'NodeGroupBecameActive', { readonly clusterId: string }>;
/** Nodes of the node group are missing or could not be removed. With `failed`, nothing is retried until an operator acts. */
export type NodeGroupDegraded = DomainEvent<
  'NodeGroupDegraded',
  {
    readonly clusterId: string;
    readonly reason: string;
    readonly failed: boolean;
    /** The group stops, since the next step was not planned. */
    readonly planDeviated?: true;
  }
>;
/** It shall go with all its nodes; asked for again, what was given up is tried again. */
export type NodeGroupDeletionRequested = DomainEvent<
  'NodeGroupDeletionRequested',
  {
    readonly operationId: string;
    readonly operation?: OperationStart;
    /** What cannot be removed is given up. */
    readonly force?: boolean;
  }
>;
/** Nothing of it is left, but for the nodes that were given up. */
export type NodeGroupDeleted = DomainEvent<
  'NodeGroupDeleted',
  { readonly clusterId: string; readonly abandoned?: readonly AbandonedResource[] }
>;

export type NodeGroupEvent =
  | NodeGroupCreated
  | NodesAdded
  | NodeRemovalAccepted
  | NodeReplacementAccepted
  | NodeGroupResized
  | NodeGroupUpdated
  | NodeGroupRebuildRequested
  | NodeGroupRebootRequested
  | NodeGroupRetryRequested
  | RolloutBatchAccepted
  | NodesRemoved
  | NodeGroupBecameActive
  | NodeGroupDegraded
  | NodeGroupDeletionRequested
  | NodeGroupDeleted
  | OperationEnded
  | OperationCancelRequested;
