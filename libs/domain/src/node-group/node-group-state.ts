import { conditionOf, hasCondition, type Condition } from '../kernel/condition.js';
import type { AbandonedResource, PlannedOperation } from '../kernel/operation.js';
import type { ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { Build } from './node-group-changes.js';
import type { MemberDeclaration, NodeGroupDeclaration, NodeRepair, ScaleRefusalCode } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';

/** A removal that waits for its release. */
export interface NodeRelease {
  readonly until: string;
  readonly onTimeout: 'proceed' | 'abort';
  readonly url?: string;
  readonly reason: string;
  readonly operationId: string;
  /** The least count before the removal lowered it. */
  readonly minBefore?: number;
}

export interface Member extends MemberDeclaration {
  readonly leaving: boolean;
  /** The operation that added or removes the node. */
  readonly operationId: string;
  readonly reason: string;
  /** The number of the specification that the node is built from. */
  readonly build: number;
  /** The node has to move to another zone. */
  readonly misplaced?: boolean;
  /** The last rollout that included the node. */
  readonly rolloutId?: string;
  /** Since when the health policy finds it unhealthy, and when that last ended. */
  readonly unhealthySince?: string;
  readonly recoveredAt?: string;
  /** The last action of the health policy that kept it. */
  readonly repair?: Omit<NodeRepair, 'nodeId'> & { readonly at: string; readonly operationId: string };
  /** It has to go, and stays in service until it is released. */
  readonly release?: NodeRelease;
  /** The node is deleted even if its infrastructure cannot be removed. */
  readonly forced?: boolean;
}

/** A running operation of the group. It ends when the group is complete again or deleted. */
export interface GroupOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  /** The count that is restored when the operation, a change of the count, is cancelled. */
  readonly countBefore?: number;
  /** In which direction the operation changes the count. */
  readonly direction?: ScalingDirection;
  /** The number of nodes of an operation that is done step by step. */
  readonly nodes?: number;
  /** The node that the operation replaces. */
  readonly nodeId?: string;
  readonly planned?: PlannedOperation;
  /** The user allowed that it discards data that is to be retained. */
  readonly discardVolumes?: true;
}

/**
 * `Degraded`: nodes are missing or could not be removed. `Failed`: the group is retried only when an operator asks for it.
 * `PlanDeviated`: the next step was not planned, so nothing is started until an operator acts. `RolloutHalted`: outdated nodes are not
 * replaced any more. `LossSuspected`: nodes are missing that are not replaced before they are seen again or their loss is accepted.
 */
type NodeGroupConditionType = 'Degraded' | 'Failed' | 'PlanDeviated' | 'RolloutHalted' | 'LossSuspected';
export type NodeGroupCondition = Condition<NodeGroupConditionType>;
export type NodeGroupStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DEGRADED' | 'DELETING';
export type NodeRolloutKind = 'rebuild' | 'softReboot' | 'hardReboot';

/** A rebuild or reboot of all nodes of the group, a few at a time. */
export interface NodeGroupRollout {
  readonly id: string;
  readonly kind: NodeRolloutKind;
  /** Nodes from this ordinal on were added later and are not included. */
  readonly untilOrdinal: number;
  /** A rollout that failed or was cancelled starts no further node. */
  readonly status: 'in-progress' | 'completed' | 'failed' | 'cancelled';
  /** The user allowed that it discards data that is to be retained. */
  readonly discardVolumes?: true;
}

export interface NodeGroupState {
  readonly declared: NodeGroupDeclaration;
  readonly spec: NodeGroupSpec;
  readonly members: ReadonlyMap<string, Member>;
  /** How many nodes wait for their release: counted here, since a group may have thousands of nodes. */
  readonly awaiting: number;
  readonly nextOrdinal: number;
  readonly status: NodeGroupStatus;
  readonly conditions: readonly NodeGroupCondition[];
  /** The plan of the cluster operation that the group takes part in, until the group is complete. */
  readonly planned?: PlannedOperation;
  /** The number of failed nodes replaced since the group was last complete. */
  readonly replaced: number;
  /** A retry was requested, and no failed node has been replaced since: also nodes whose build ended its conductors are replaced. */
  readonly replacesLost?: true;
  readonly deleting: boolean;
  readonly deleted: boolean;
  /** The deletion abandons nodes that cannot be removed. */
  readonly forced?: boolean;
  /** Nodes that were explicitly left on the infrastructure. */
  readonly abandoned: readonly AbandonedResource[];
  readonly revision: number;
  /** The specifications that nodes were built from; new nodes are built from the last. */
  readonly builds: readonly Build[];
  /** The number of changes of labels, taints and options in place. */
  readonly metadataGeneration: number;
  readonly rollout?: NodeGroupRollout;
  /** The last batch of a rolling change, until the group is complete. */
  readonly batch?: { readonly isOpen: boolean; readonly endedAt?: string };
  readonly operations: readonly GroupOperation[];
  readonly lastOperationId: string;
  /** The greatest sequence of a proposal of the autoscaler that was answered. */
  readonly answered?: number;
  /** The last proposal that was refused. */
  readonly refused?: { readonly code: ScaleRefusalCode; readonly at: string };
  /** When the last change of the count in each direction had succeeded. */
  readonly scaledAt?: { readonly [direction in ScalingDirection]?: string };
  /** When a user last changed the count. */
  readonly resizedAt?: string;
  /** When the count last grew. */
  readonly grewAt?: string;
  /** How many times in a row, and when last, nodes could not be built for lack of capacity. */
  readonly lacksCapacity?: { readonly times: number; readonly since: string };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The reason of nodes that a rolling replacement adds and removes; these do not count as failed. */
export const ROLLING_REPLACEMENT = 'rolling replacement';

/** Returns whether nodes of the group are missing that are not replaced before their loss is accepted. */
export const hasLossSuspected = (state: Pick<NodeGroupState, 'conditions'>): boolean =>
  hasCondition(state, 'LossSuspected');

/** Returns the message of the `Degraded` condition, which clients see as the status reason. */
export const nodeGroupStatusReason = (state: Pick<NodeGroupState, 'conditions'>): string | undefined =>
  conditionOf(state, 'Degraded')?.message;
