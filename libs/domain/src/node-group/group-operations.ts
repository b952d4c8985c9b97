import type { GroupRolloutProgress } from '../cluster/cluster-rollout.js';
import { hasCondition, withCondition, withoutConditions } from '../kernel/condition.js';
import type { OperationStart } from '../kernel/operation.js';
import { awaitsRollout, countedMembers, isOutdated, withMisplaced } from './group-membership.js';
import { countMissing, supersedesRollout } from './group-takeover.js';
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

/** How far the group is with its last round of rebuilds or restarts; the step under way results in its end first. */
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

/** How many nodes a rolling replacement and the round through the group have still to go through, halted or not. */
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

/** Nobody is replaced, rebuilt or restarted any more, until an operator asks for it. */
export function withRolloutHalted(state: NodeGroupState, why: 'failed' | 'cancelled'): NodeGroupState {
  const reason = why === 'failed' ? 'RolloutFailed' : 'RolloutCancelled';
  const condition = { type: 'RolloutHalted', status: 'True', reason, message: `the rollout was ${why}` } as const;
  return { ...withRolloutStatus(state, why), conditions: withCondition(state.conditions, condition) };
}

/** How the round that is under way has ended. */
export function withRolloutStatus(state: NodeGroupState, status: NodeGroupRollout['status']): NodeGroupState {
  const { rollout } = state;
  return rollout?.status === 'in-progress' ? { ...state, rollout: { ...rollout, status } } : state;
}

/** A later change of the count is not undone by cancelling an earlier one. */
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

/** Who has to move is seen again only while somebody has to: unevenness by failures is nobody's wish to move. */
export function withCount(state: NodeGroupState, count: number): NodeGroupState {
  if (!state.spec) return state;
  const next = { ...state, spec: { ...state.spec, count } };
  return [...state.members.values()].some(m => m.misplaced) ? withMisplaced(next) : next;
}

/** A round through all nodes that are there now takes the place of an earlier one. */
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

/** New nodes are built from it from now on; a round through the group ends where nodes are replaced anyway. */
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
