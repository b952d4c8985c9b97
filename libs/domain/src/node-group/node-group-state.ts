import type { Abandoned } from '../kernel/abandoned.js';
import type { PlannedOperation } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import { withLeaving, withMembers, withTurns, withoutMembers } from './group-membership.js';
import { cancelled, halted, retried, started, swept, updated, withCount, withSweep } from './group-operations.js';
import { withBuild, type Build } from './node-group-changes.js';
import type { MemberDeclaration, NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
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

const initialNodeGroup: NodeGroupState = {
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

function changed(state: NodeGroupState): NodeGroupState {
  return {
    ...state,
    revision: state.revision + 1,
    gaveUp: false,
    held: false,
    replaced: 0,
    status: state.deleting ? 'DELETING' : 'UPDATING',
  };
}

function evolveNodeGroup(state: NodeGroupState, event: NodeGroupEvent, time: string): NodeGroupState {
  const s: NodeGroupState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'NodeGroupCreated': {
      // where the values came from is history
      const { origins: _origins, ...declared } = event.data;
      const { spec, operation, operationId, planned } = declared;
      return {
        ...started(s, operation),
        declared,
        spec,
        builds: withBuild([], spec),
        revision: 1,
        ...(planned ? { planned } : {}),
        lastOperationId: operationId,
        createdAt: time,
      };
    }
    case 'NodesAdded': {
      const { nodes, operationId, reason } = event.data;
      const replacing = reason === ROLLED ? 0 : nodes.filter(n => n.replaces !== undefined).length;
      return { ...withMembers(s, nodes, operationId, reason), replaced: s.replaced + replacing };
    }
    case 'NodeRemovalAccepted': {
      const { count, minCount, operation } = event.data;
      const leaving = withLeaving(s, event.data);
      const spec = s.spec ? { ...s.spec, count, ...(minCount === undefined ? {} : { minCount }) } : s.spec;
      const next = { ...leaving, ...(spec ? { spec } : {}) };
      return operation ? started(changed(next), operation) : next;
    }
    case 'NodeReplacementAccepted': {
      const { nodeId, successor, operation } = event.data;
      const added = withMembers(s, [successor], operation.id, 'replacement');
      return started(changed(added), { ...operation, nodeId });
    }
    case 'NodeGroupResized': {
      const countBefore = s.spec ? { countBefore: s.spec.count } : {};
      return started(changed(withCount(s, event.data.count)), { ...event.data.operation, ...countBefore });
    }
    case 'NodeGroupUpdated':
      return updated(s, event.data, changed);
    case 'NodeGroupRebuildRequested':
      return swept(changed(s), event.data, 'rebuild');
    case 'NodeGroupRebootRequested':
      return swept(changed(s), event.data, event.data.type === 'soft' ? 'softReboot' : 'hardReboot');
    case 'NodeGroupRetryRequested':
      return retried(changed(s), event.data.operation);
    case 'RolloutBatchAccepted':
      return withTurns(s, event.data.nodeIds);
    case 'NodesRemoved': {
      const { nodeIds, abandoned = [] } = event.data;
      return { ...withoutMembers(s, nodeIds), abandoned: [...s.abandoned, ...abandoned] };
    }
    case 'NodeGroupBecameActive': {
      const { statusReason: _reason, planned: _done, ...rest } = s;
      return { ...withSweep(rest, 'done'), status: 'ACTIVE', gaveUp: false, held: false, replaced: 0 };
    }
    case 'NodeGroupDegraded': {
      const { reason, gaveUp, held = s.held } = event.data;
      const status = s.deleting ? 'DELETING' : 'DEGRADED';
      const told: NodeGroupState = { ...s, status, statusReason: reason, gaveUp, held };
      return gaveUp ? halted(told, 'failed') : told;
    }
    case 'NodeGroupDeletionRequested': {
      const { statusReason: _reason, ...rest } = s;
      const { operation, operationId, force } = event.data;
      return {
        ...started({ ...rest, revision: s.revision + 1 }, operation),
        deleting: true,
        ...(force ? { forced: true } : {}),
        gaveUp: false,
        status: 'DELETING',
        lastOperationId: operationId,
      };
    }
    case 'NodeGroupDeleted':
      return { ...s, deleted: true, members: new Map() };
    case 'OperationEnded':
      return { ...s, operations: s.operations.filter(o => o.id !== event.data.operationId) };
    case 'OperationCancelRequested':
      return cancelled(s, event.data.operationId);
    default:
      return state;
  }
}

export const nodeGroupStream: StreamDefinition<NodeGroupState, NodeGroupEvent> = {
  category: 'nodeGroup',
  initial: initialNodeGroup,
  evolve: evolveNodeGroup,
};
