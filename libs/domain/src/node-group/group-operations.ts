import type { GroupRolloutProgress } from '../cluster/cluster-rollout.js';
import { hasCondition, withCondition, withoutConditions } from '../kernel/condition.js';
import type { OperationStart } from '../kernel/operation.js';
import { awaitsRollout, countedMembers, isOutdated, withMisplaced } from './group-membership.js';
import { countMissing, supersedesRollout } from './rollout-supersession.js';
import { changedGroupSpec, withBuild, type NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupRebuildRequested, NodeGroupUpdated } from './node-group-events.js';
import {
  nodeGroupStatusReason,
  type GroupOperation,
  type Member,
  type NodeGroupRollout,
  type NodeGroupState,
  type NodeRolloutKind,
} from './node-group-state.js';

/** Returns the progress of the last rollout. A cancelled rollout is in progress until its last step has ended. */
export function groupRolloutProgress(state: NodeGroupState): GroupRolloutProgress | undefined {
  const { rollout, status } = state;
  if (!rollout) return undefined;
  const ending = rollout.status === 'cancelled' && status !== 'ACTIVE' && !hasCondition(state, 'Failed');
  const statusReason = nodeGroupStatusReason(state);
  const reason = rollout.status === 'failed' && statusReason !== undefined ? { reason: statusReason } : {};
  return {
    operationId: rollout.id,
    status: ending ? 'in-progress' : rollout.status,
    planDeviated: hasCondition(state, 'PlanDeviated'),
    ...reason,
  };
}

/** Returns how many nodes still have to be replaced, rebuilt or rebooted, halted or not. */
export function countRemainingNodes(state: NodeGroupState): number {
  const { rollout, members } = state;
  const outdated = (m: Member | undefined): boolean => m !== undefined && !m.leaving && isOutdated(state, m);
  const onTurn = (m: Member): boolean =>
    rollout !== undefined && rollout.status !== 'completed' && awaitsRollout(rollout, m);
  return countedMembers(state).filter(m => outdated(m) || outdated(members.get(m.replaces ?? '')) || onTurn(m)).length;
}

export function withOperation(state: NodeGroupState, operation: GroupOperation | undefined): NodeGroupState {
  if (!operation) return state;
  const { id, kind, countBefore, nodes, nodeId, planned } = operation;
  const fresh = {
    id,
    kind,
    ...(countBefore === undefined ? {} : { countBefore }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(planned ? { planned } : {}),
  };
  return { ...state, operations: [...state.operations, fresh], lastOperationId: id };
}

/** Halts replacements and the rollout until an operator retries them. */
export function withRolloutHalted(state: NodeGroupState, why: 'failed' | 'cancelled'): NodeGroupState {
  const reason = why === 'failed' ? 'RolloutFailed' : 'RolloutCancelled';
  const condition = { type: 'RolloutHalted', status: 'True', reason, message: `the rollout was ${why}` } as const;
  return { ...withRolloutStatus(state, why), conditions: withCondition(state.conditions, condition) };
}

/** Sets the status of the rollout when it is in progress. */
export function withRolloutStatus(state: NodeGroupState, status: NodeGroupRollout['status']): NodeGroupState {
  const { rollout } = state;
  return rollout?.status === 'in-progress' ? { ...state, rollout: { ...rollout, status } } : state;
}

/** Cancels an operation. The count is restored only when the operation is the latest one. */
export function withCancellation(state: NodeGroupState, operationId: string): NodeGroupState {
  const operations = state.operations.map(o => (o.id === operationId ? { ...o, cancelled: true } : o));
  const own = operations.find(o => o.id === operationId);
  const next = { ...state, operations };
  const steps = own?.nodes !== undefined || (!own && state.rollout?.id === operationId);
  const stopped = steps ? withRolloutHalted(next, 'cancelled') : next;
  const { countBefore } = own ?? {};
  const undo = countBefore !== undefined && state.lastOperationId === operationId;
  return undo ? withCount(stopped, countBefore) : stopped;
}

/** Changes the count. Misplaced nodes are determined again only when there are some: failures may leave zones uneven without a move. */
export function withCount(state: NodeGroupState, count: number): NodeGroupState {
  if (!state.spec) return state;
  const next = { ...state, spec: { ...state.spec, count } };
  return [...state.members.values()].some(m => m.misplaced) ? withMisplaced(next) : next;
}

/** Starts a rollout through all existing nodes in place of an earlier one. */
export function withRollout(
  state: NodeGroupState,
  { operationId, operation, planned }: NodeGroupRebuildRequested['data'],
  kind: NodeRolloutKind,
): NodeGroupState {
  const rollout: NodeGroupRollout = { id: operationId, kind, untilOrdinal: state.nextOrdinal, status: 'in-progress' };
  const nodes = countedMembers(state).length;
  const next = { ...state, rollout, lastOperationId: operationId, ...(planned ? { planned } : {}) };
  return withOperation(next, operation && { ...operation, nodes });
}

const withRolloutResumed = (state: NodeGroupState): NodeGroupState => ({
  ...state,
  conditions: withoutConditions(state.conditions, 'RolloutHalted'),
});

export function withRetry(state: NodeGroupState, operation: OperationStart): NodeGroupState {
  const { rollout } = state;
  const again =
    rollout && rollout.status !== 'completed' ? { rollout: { ...rollout, status: 'in-progress' as const } } : {};
  const going: NodeGroupState = { ...withRolloutResumed(state), ...again };
  return withOperation(going, { ...operation, nodes: countRemainingNodes(state) });
}

const changesBuild = (changes: NodeGroupChanges): boolean =>
  changes.flavor !== undefined ||
  changes.image !== undefined ||
  changes.dataVolumeGb !== undefined ||
  changes.options !== undefined;

/** Applies the changes. New nodes are built from the new specification. A rollout ends where nodes are replaced anyway. */
export function withUpdate(
  state: NodeGroupState,
  { changes, operation }: NodeGroupUpdated['data'],
  changed: (state: NodeGroupState) => NodeGroupState,
): NodeGroupState {
  if (!state.spec) return { ...state, revision: state.revision + 1 };
  const spec = changedGroupSpec(state.spec, changes);
  const tagged = changes.labels !== undefined || changes.taints !== undefined;
  const builds = changesBuild(changes) ? withBuild(state.builds, spec) : state.builds;
  const plain: NodeGroupState = {
    ...state,
    spec,
    builds,
    metadataGeneration: state.metadataGeneration + (tagged ? 1 : 0),
  };
  const next = changes.zones === undefined ? withCount(plain, spec.count) : withMisplaced(plain);
  const rolls = supersedesRollout(state, next, changes);
  if (!rolls && changes.count === undefined) return withOperation({ ...next, revision: state.revision + 1 }, operation);
  const { rollout: _over, ...others } = changed(next);
  const going: NodeGroupState = rolls ? withRolloutResumed(others) : changed(next);
  const countBefore = changes.count === undefined ? {} : { countBefore: state.spec.count };
  const nodes = rolls ? { nodes: Math.max(countRemainingNodes(going), countMissing(state)) } : {};
  return withOperation(going, operation && { ...operation, ...nodes, ...countBefore });
}
