import type { Abandoned } from '../kernel/abandoned.js';
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
  readonly displaced?: boolean;
  /** The last round of rebuilds or restarts that it was told to take part in. */
  readonly turn?: string;
  /** It is given up where it cannot be removed. */
  readonly forced?: boolean;
}

/** An operation of this group that is under way; over when the group is whole again, or gone. */
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

export type NodeGroupStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DEGRADED' | 'DELETING';
export type TurnKind = 'rebuild' | 'softReboot' | 'hardReboot';

/** A round of rebuilds or restarts through the whole group. */
export interface Sweep {
  readonly id: string;
  readonly kind: TurnKind;
  /** Nodes that were added later (from this ordinal on) have no turn. */
  readonly before: number;
  /** Given up (`failed`) or called off, nobody has a turn any more. */
  readonly status: 'under-way' | 'done' | 'failed' | 'cancelled';
}

export interface NodeGroupState {
  readonly declared?: NodeGroupDeclaration;
  readonly spec?: NodeGroupSpec;
  readonly members: ReadonlyMap<string, Member>;
  readonly nextOrdinal: number;
  readonly status: NodeGroupStatus;
  readonly statusReason?: string;
  readonly gaveUp: boolean;
  /** What would follow was not planned: nothing is begun until a person acts. */
  readonly held: boolean;
  /** Until it is whole, where what its cluster does was accepted with a plan. */
  readonly planned?: PlannedOperation;
  /** Nodes replaced because they failed, since the group was last whole. */
  readonly replaced: number;
  readonly deleting: boolean;
  readonly deleted: boolean;
  /** Its deletion gives up what cannot be removed. */
  readonly forced?: boolean;
  /** Nodes that were left on the infrastructure knowingly. */
  readonly abandoned: readonly Abandoned[];
  readonly revision: number;
  /** What nodes were built from; the last is what new ones are built from. */
  readonly builds: readonly Build[];
  /** Counts the changes of labels and taints. */
  readonly tags: number;
  /** The replacement of nodes of earlier builds was given up or called off. */
  readonly rolloutHalted: boolean;
  readonly sweep?: Sweep;
  readonly operations: readonly GroupOperation[];
  readonly lastOperationId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialNodeGroup: NodeGroupState = {
  members: new Map(),
  nextOrdinal: 0,
  status: 'CREATING',
  gaveUp: false,
  held: false,
  replaced: 0,
  deleting: false,
  deleted: false,
  abandoned: [],
  revision: 0,
  builds: [],
  tags: 0,
  rolloutHalted: false,
  operations: [],
  lastOperationId: '',
  createdAt: '',
  updatedAt: '',
};

/** Why nodes are added and removed by a rolling replacement; these do not count as failed. */
export const ROLLED = 'rolling replacement';
