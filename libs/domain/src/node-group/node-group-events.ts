import type { Origins, SourceRef } from '../attribute-resolution/layers.js';
import type { EventOf } from '../kernel/decider.js';
import type {
  AbandonedResource,
  OperationCancelRequested,
  OperationEnded,
  OperationStart,
  PlannedOperation,
} from '../kernel/operation.js';
import type { HealthDetector, ReleaseOutcome } from '../container-set/container-set-events.js';
import type { AppliedPolicy } from './group-policies.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupSpec, UpdateStrategy } from './node-group-spec.js';

export interface MemberDeclaration {
  readonly id: string;
  readonly ordinal: number;
  readonly zone?: string;
  readonly region?: string;
  /** The node that leaves when this one is built. */
  readonly replaces?: string;
}

export interface NodeGroupDeclaration {
  readonly id: string;
  readonly clusterId: string;
  readonly projectId: string;
  readonly name: string;
  readonly spec: NodeGroupSpec;
  /** The operation that created the group: its own, or the creation of the cluster. */
  readonly operationId: string;
  /** Present when the group was created by its own request. */
  readonly operation?: OperationStart;
  /** The plan with which the creation of the cluster was accepted. */
  readonly planned?: PlannedOperation;
  /** The source of the group with its name at that time; it may be deleted since. */
  readonly source?: SourceRef;
  /** The origin of each value of the specification. */
  readonly origins?: Origins;
}

/** The update strategy is decided at the creation, so that a new default does not change existing groups. */
interface DecidedNodeGroup extends NodeGroupDeclaration {
  readonly spec: NodeGroupSpec & { readonly updateStrategy: Required<UpdateStrategy> };
}

/** What a health policy does about a node: `reboot` and `rebuild` keep its id. */
export type NodeRemedy = 'reboot' | 'rebuild' | 'replace';

/** An action of a health policy that keeps the node. */
export interface NodeRepair {
  readonly nodeId: string;
  readonly do: Exclude<NodeRemedy, 'replace'>;
  /** The generation of the node that it acts on; a later one has been acted on already. */
  readonly generation: number;
  /** How many repairs of the node in a row there are with this one. */
  readonly count: number;
}

interface RolloutRequest {
  readonly operationId: string;
  readonly operation?: OperationStart;
  readonly planned?: PlannedOperation;
  /** The user allowed that nodes lose the only data of volumes that are to be retained. */
  readonly discardVolumes?: true;
}

/** The proposal of the autoscaler that a change answers. */
export interface ProposalCause {
  readonly proposalId: string;
  /** The order of the proposals to the group. */
  readonly sequence: number;
}

/** Why the owner of a group refuses a proposal. `stale`: the group is not any more as it was when the proposal was made. */
export type ScaleRefusalCode = 'stale' | 'at-max' | 'at-min' | 'paused' | 'rolling' | 'quota';

export interface NodeGroupEvents {
  /** A node group was created in its cluster. */
  NodeGroupCreated: DecidedNodeGroup;
  /** Nodes were added to the node group; nodegroup-service declares them. */
  NodesAdded: { readonly nodes: readonly MemberDeclaration[]; readonly reason: string; readonly operationId: string };
  /** The removal of these nodes was accepted. `count` is the wanted count from now on. */
  NodeRemovalAccepted: {
    readonly nodeIds: readonly string[];
    readonly count: number;
    readonly minCount?: number;
    readonly reason: string;
    readonly operationId: string;
    readonly operation?: OperationStart;
    /** The deletion policy that chose the nodes. */
    readonly policyId?: string;
    readonly policyRevision?: number;
    /** Nodes that cannot be removed are abandoned. */
    readonly force?: boolean;
    /** The proposal that this answers. */
    readonly cause?: ProposalCause;
    /** The nodes could not be built for lack of capacity: the group rests before it grows again. */
    readonly lacksCapacity?: true;
  };
  /**
   * These nodes have to go, and stay in service until they are released or the time is over; then `onTimeout` says what follows. `count` is
   * the wanted count from now on.
   */
  NodesReleaseAwaited: AppliedPolicy & {
    readonly nodeIds: readonly string[];
    readonly timeoutSeconds: number;
    readonly onTimeout: 'proceed' | 'abort';
    /** Where the release is asked for. */
    readonly url?: string;
    readonly count: number;
    readonly minCount?: number;
    readonly reason: string;
    readonly operationId: string;
    readonly operation?: OperationStart;
    /** The proposal that this answers. */
    readonly cause?: ProposalCause;
  };
  /** The wait for the release of these nodes has ended. `count` and `minCount` are those of the group from now on. */
  NodesReleased: {
    readonly nodeIds: readonly string[];
    readonly outcome: ReleaseOutcome;
    readonly count: number;
    readonly minCount?: number;
  };
  /** The replacement of a node was requested by a user. Its successor is added with the same event. */
  NodeReplacementAccepted: {
    readonly nodeId: string;
    readonly successor: MemberDeclaration;
    readonly operation: OperationStart;
  };
  /** The wanted count of the node group changed. */
  NodeGroupResized: {
    readonly count: number;
    readonly operation: OperationStart;
    /** The proposal that this answers; absent: a user changed the count, which holds the autoscaler. */
    readonly cause?: ProposalCause;
    /** The scaling policy that the change follows. */
    readonly policyId?: string;
    readonly policyRevision?: number;
  };
  /** A proposal of the autoscaler is not carried out. */
  ScaleProposalRefused: ProposalCause & { readonly code: ScaleRefusalCode };
  /**
   * Attributes of the node group changed. The event has an operation where nodes have to follow. `rollingOptions` names the options
   * whose change replaces nodes, by the manifest of the driver; without it a change of any option does.
   */
  NodeGroupUpdated: {
    readonly changes: NodeGroupChanges;
    readonly rollingOptions?: readonly string[];
    readonly operation?: OperationStart;
  };
  /**
   * A rebuild of all nodes in place was requested, a few at a time. Without an operation of its own it is part of an
   * operation of the cluster.
   */
  NodeGroupRebuildRequested: RolloutRequest;
  /**
   * A reboot of all nodes was requested, a few at a time. Without an operation of its own it is part of an operation of
   * the cluster.
   */
  NodeGroupRebootRequested: RolloutRequest & { readonly type: 'soft' | 'hard' };
  /** A retry of what failed or was cancelled was requested. */
  NodeGroupRetryRequested: { readonly operation: OperationStart };
  /** These nodes are the next batch of the rollout: they are rebuilt or rebooted now. */
  RolloutBatchAccepted: { readonly nodeIds: readonly string[]; readonly operationId: string };
  /** The nodes of a batch are in service; the next one waits for the pause of the batch policy, which begins now. */
  NodeBatchEnded: AppliedPolicy & { readonly pauseSeconds: number };
  /** The health policy of the group finds these nodes unhealthy, or does not any more. Times of the policy count from here. */
  NodesHealthChanged: {
    readonly unhealthy: readonly {
      readonly nodeId: string;
      readonly by: HealthDetector;
      readonly reason: string;
    }[];
    readonly recovered: readonly string[];
  };
  /** The health policy has these nodes rebooted or rebuilt. */
  NodesRepaired: AppliedPolicy & { readonly repairs: readonly NodeRepair[]; readonly operationId: string };
  /** These nodes were removed from the infrastructure, except those that were abandoned. */
  NodesRemoved: { readonly nodeIds: readonly string[]; readonly abandoned?: readonly AbandonedResource[] };
  /** Every wanted node of the node group exists and is ready. */
  NodeGroupBecameActive: { readonly clusterId: string };
  /** Nodes of the node group are missing or could not be removed. With `failed`, nothing is retried until an operator acts. */
  NodeGroupDegraded: {
    readonly clusterId: string;
    readonly reason: string;
    readonly failed: boolean;
    /** Nodes are missing and are not replaced before they are seen again or their loss is accepted. */
    readonly lossSuspected?: true;
    /** The group stops because the next step was not planned. */
    readonly planDeviated?: true;
  };
  /**
   * The deletion of the node group and of all its nodes was requested. A repeated request retries a deletion that
   * failed.
   */
  NodeGroupDeletionRequested: {
    readonly operationId: string;
    readonly operation?: OperationStart;
    /** Nodes that cannot be removed are abandoned. */
    readonly force?: boolean;
  };
  /** The node group was deleted. Nothing of it is left, except nodes that were abandoned. */
  NodeGroupDeleted: { readonly clusterId: string; readonly abandoned?: readonly AbandonedResource[] };
}

export type NodeGroupEvent = EventOf<NodeGroupEvents> | OperationEnded | OperationCancelRequested;
