import type { AbandonedResource } from '../kernel/abandoned.js';
import { conditionOf, type Condition } from '../kernel/condition.js';
import type { PlannedOperation } from '../kernel/operation.js';
import type { Build } from './node-group-changes.js';
import type { MemberDeclaration, NodeGroupDeclaration } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';

export interface Member extends MemberDeclaration {
  readonly leaving: boolean;
  /** The operation that added it or lets it go. */
  readonly operationId: string;
  readonly reason: string;
  /** Which specification it is built from. */
  readonly build: number;
  /** It is in a zone where it should not be any more. */
  readonly misplaced?: boolean;
  /** The last round of rebuilds or restarts that it was asked to take part in. */
  readonly rolloutId?: string;
  /** It failed permanently where it cannot be removed. */
  readonly forced?: boolean;
}

/** An operation of this group that is under way; over when the group is complete again, or gone. */
export interface GroupOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  /** The count that a cancelled change of it goes back to. */
  readonly countBefore?: number;
  /** It goes through the group step by step: how many nodes it has to go through. */
  readonly nodes?: number;
  /** The node that it replaces. */
  readonly nodeId?: string;
  readonly planned?: PlannedOperation;
}

/**
 * `Degraded`: nodes are missing or could not be removed. `Failed`: the group is retried only when an operator asks for it.
 * `PlanDeviated`: the next step was not planned, so nothing is started until an operator acts. `RolloutHalted`: outdated nodes are not
 * replaced any more.
 */
type NodeGroupConditionType = 'Degraded' | 'Failed' | 'PlanDeviated' | 'RolloutHalted';
export type NodeGroupCondition = Condition<NodeGroupConditionType>;
export type NodeGroupStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DEGRADED' | 'DELETING';
export type NodeRolloutKind = 'rebuild' | 'softReboot' | 'hardReboot';

/** A round of rebuilds or restarts through the complete group. */
export interface NodeGroupRollout {
  readonly id: string;
  readonly kind: NodeRolloutKind;
  /** Nodes that were added later (from this ordinal on) have no turn. */
  readonly untilOrdinal: number;
  /** Given up (`failed`) or cancelled, nobody has a turn any more. */
  readonly status: 'in-progress' | 'completed' | 'failed' | 'cancelled';
}

export interface NodeGroupState {
  readonly declared?: NodeGroupDeclaration;
  readonly spec?: NodeGroupSpec;
  readonly members: ReadonlyMap<string, Member>;
  readonly nextOrdinal: number;
  readonly status: NodeGroupStatus;
  readonly conditions: readonly NodeGroupCondition[];
  /** Until it is complete, where what its cluster does was accepted with a plan. */
  readonly planned?: PlannedOperation;
  /** Nodes replaced because they failed, since the group was last complete. */
  readonly replaced: number;
  readonly deleting: boolean;
  readonly deleted: boolean;
  /** Its deletion stops retrying what cannot be removed. */
  readonly forced?: boolean;
  /** Nodes that were left on the infrastructure explicitly. */
  readonly abandoned: readonly AbandonedResource[];
  readonly revision: number;
  /** What nodes were built from; the last is what new ones are built from. */
  readonly builds: readonly Build[];
  /** Counts the changes of labels and taints. */
  readonly metadataGeneration: number;
  readonly rollout?: NodeGroupRollout;
  readonly operations: readonly GroupOperation[];
  readonly lastOperationId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialNodeGroup: NodeGroupState = {
  members: new Map(),
  nextOrdinal: 0,
  status: 'CREATING',
  conditions: [],
  replaced: 0,
  deleting: false,
  deleted: false,
  abandoned: [],
  revision: 0,
  builds: [],
  metadataGeneration: 0,
  operations: [],
  lastOperationId: '',
  createdAt: '',
  updatedAt: '',
};

/** Why nodes are added and removed by a rolling replacement; these do not count as failed. */
export const ROLLING_REPLACEMENT = 'rolling replacement';

/** Returns the message of the `Degraded` condition, which clients see as the status reason. */
export const nodeGroupStatusReason = (state: Pick<NodeGroupState, 'conditions'>): string | undefined =>
  conditionOf(state, 'Degraded')?.message;
