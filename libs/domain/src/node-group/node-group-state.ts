import type { MemberDeclaration, NodeGroupChanges, NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupSpec } from './node-group-spec.js';

export interface Member extends MemberDeclaration {
  readonly leaving: boolean;
  /** The operation that added it or lets it go. */
  readonly operationId: string;
  readonly reason: string;
}

/** An operation of this group that is under way; over when the group is whole again, or gone. */
export interface GroupOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  /** The count that a cancelled resize goes back to. */
  readonly countBefore?: number;
}

export type NodeGroupStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DEGRADED' | 'DELETING';

export interface NodeGroupState {
  readonly declared?: NodeGroupDeclaration;
  readonly spec?: NodeGroupSpec;
  readonly members: ReadonlyMap<string, Member>;
  readonly nextOrdinal: number;
  readonly status: NodeGroupStatus;
  readonly statusReason?: string;
  readonly gaveUp: boolean;
  /** Nodes replaced because they failed, since the group was last whole. */
  readonly replaced: number;
  readonly deleting: boolean;
  readonly deleted: boolean;
  readonly revision: number;
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
  replaced: 0,
  deleting: false,
  deleted: false,
  revision: 0,
  operations: [],
  lastOperationId: '',
  createdAt: '',
  updatedAt: '',
};

function withMembers(
  state: NodeGroupState,
  nodes: readonly MemberDeclaration[],
  operationId: string,
  reason: string,
): NodeGroupState {
  const members = new Map(state.members);
  let { nextOrdinal } = state;
  for (const node of nodes) {
    members.set(node.id, { ...node, leaving: false, operationId, reason });
    nextOrdinal = Math.max(nextOrdinal, node.ordinal + 1);
  }
  return { ...state, members, nextOrdinal };
}

function withLeaving(
  state: NodeGroupState,
  ids: readonly string[],
  operationId: string,
  reason: string,
): NodeGroupState {
  const members = new Map(state.members);
  for (const id of ids) {
    const member = members.get(id);
    if (member) members.set(id, { ...member, leaving: true, operationId, reason });
  }
  return { ...state, members };
}

function started(state: NodeGroupState, operation: GroupOperation | undefined): NodeGroupState {
  if (!operation) return state;
  const { id, kind, countBefore } = operation;
  const fresh = { id, kind, ...(countBefore === undefined ? {} : { countBefore }) };
  return { ...state, operations: [...state.operations, fresh], lastOperationId: id };
}

/** A later change of the count is not undone by cancelling an earlier one. */
function cancelled(state: NodeGroupState, operationId: string): NodeGroupState {
  const operations = state.operations.map(o => (o.id === operationId ? { ...o, cancelled: true } : o));
  const before = operations.find(o => o.id === operationId)?.countBefore;
  const undo = before !== undefined && state.lastOperationId === operationId && state.spec !== undefined;
  return { ...state, operations, ...(undo && state.spec ? { spec: { ...state.spec, count: before } } : {}) };
}

function changed(state: NodeGroupState): NodeGroupState {
  return {
    ...state,
    revision: state.revision + 1,
    gaveUp: false,
    replaced: 0,
    status: state.deleting ? 'DELETING' : 'UPDATING',
  };
}

/** The specification after a change; null takes the bound away. */
export function changedGroupSpec(spec: NodeGroupSpec, changes: NodeGroupChanges): NodeGroupSpec {
  const { maxCount: max, ...others } = changes;
  const { maxCount, ...rest } = spec;
  const kept = max === undefined ? maxCount : (max ?? undefined);
  return { ...rest, ...others, ...(kept === undefined ? {} : { maxCount: kept }) };
}

export function evolveNodeGroup(state: NodeGroupState, event: NodeGroupEvent, time: string): NodeGroupState {
  const s: NodeGroupState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'NodeGroupCreated': {
      const { spec, operation, operationId } = event.data;
      return {
        ...started(s, operation),
        declared: event.data,
        spec,
        revision: 1,
        lastOperationId: operationId,
        createdAt: time,
      };
    }
    case 'NodesAdded': {
      const replacing = event.data.nodes.filter(n => n.replaces !== undefined).length;
      const added = withMembers(s, event.data.nodes, event.data.operationId, event.data.reason);
      return { ...added, replaced: s.replaced + replacing };
    }
    case 'NodeRemovalAccepted': {
      const { nodeIds, count, minCount, reason, operationId, operation } = event.data;
      const leaving = withLeaving(s, nodeIds, operationId, reason);
      const spec = s.spec ? { ...s.spec, count, ...(minCount === undefined ? {} : { minCount }) } : s.spec;
      const next = { ...leaving, ...(spec ? { spec } : {}) };
      return operation ? started(changed(next), operation) : next;
    }
    case 'NodeReplacementAccepted': {
      const { successor, operation } = event.data;
      return started(changed(withMembers(s, [successor], operation.id, 'replacement')), operation);
    }
    case 'NodeGroupResized':
      return started(changed({ ...s, ...(s.spec ? { spec: { ...s.spec, count: event.data.count } } : {}) }), {
        ...event.data.operation,
        ...(s.spec ? { countBefore: s.spec.count } : {}),
      });
    case 'NodeGroupUpdated':
      return {
        ...s,
        revision: s.revision + 1,
        ...(s.spec ? { spec: changedGroupSpec(s.spec, event.data.changes) } : {}),
      };
    case 'NodesGone': {
      const members = new Map(s.members);
      for (const id of event.data.nodeIds) members.delete(id);
      return { ...s, members };
    }
    case 'NodeGroupBecameActive': {
      const { statusReason: _reason, ...rest } = s;
      return { ...rest, status: 'ACTIVE', gaveUp: false, replaced: 0 };
    }
    case 'NodeGroupDegraded':
      return {
        ...s,
        status: s.deleting ? 'DELETING' : 'DEGRADED',
        statusReason: event.data.reason,
        gaveUp: event.data.gaveUp,
      };
    case 'NodeGroupDeletionRequested': {
      const { statusReason: _reason, ...rest } = s;
      return {
        ...started({ ...rest, revision: s.revision + 1 }, event.data.operation && { ...event.data.operation }),
        deleting: true,
        gaveUp: false,
        status: 'DELETING',
        lastOperationId: event.data.operationId,
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
