import type { GroupRolloutProgress } from '../cluster/cluster-rollout.js';
import { hasCondition, withCondition, withoutConditions } from '../kernel/condition.js';
import { omitUndefined } from '../kernel/json.js';
import { cancelOperation, type OperationStart } from '../kernel/operation.js';
import {
  awaitsRollout,
  countedMembers,
  currentBuild,
  isOutdated,
  isStaying,
  outdatedMembers,
  withMisplaced,
} from './group-membership.js';
import { changedGroupSpec, changedOptions, withBuild, type NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupEvents } from './node-group-events.js';
import {
  nodeGroupStatusReason,
  type GroupOperation,
  type Member,
  type NodeGroupRollout,
  type NodeGroupState,
  type NodeRolloutKind,
} from './node-group-state.js';

/** Returns whether nodes are being replaced, rebuilt or rebooted step by step. */
export const isRollingOut = ({ operations, rollout }: NodeGroupState): boolean =>
  rollout?.status === 'in-progress' || operations.some(o => o.nodes !== undefined);

/** Returns how many nodes the group lacks; leaving nodes do not count. */
export const countMissing = (state: NodeGroupState): number =>
  Math.max(0, state.spec.count - countedMembers(state).length);

/** Returns whether the change replaces further nodes, or changes nodes that are still to be built. */
function changesSteps(before: NodeGroupState, after: NodeGroupState): boolean {
  if (currentBuild(before) !== currentBuild(after)) return true;
  if (after.spec.zones.length !== 0 && countMissing(before) > 0) return true;
  return [...after.members.values()].some(m => m.misplaced !== before.members.get(m.id)?.misplaced);
}

/**
 * Returns whether a patch that leads from one state to the other replaces nodes, and so supersedes a rolling replacement or rollout.
 * A replacement that the patch does not affect continues; so does a rollout when no node has to be replaced.
 */
export function supersedesRollout(before: NodeGroupState, after: NodeGroupState, changes: NodeGroupChanges): boolean {
  const { flavor, image, dataVolumeGb, volumes, options, zones } = changes;
  const optionsRoll = options !== undefined && currentBuild(before) !== currentBuild(after);
  if (!optionsRoll && !isAnyGiven(flavor, image, dataVolumeGb, volumes, zones)) return false;
  const rolls = outdatedMembers(after).length > 0;
  if (!isRollingOut(before)) return rolls;
  return changesSteps(before, after) && (rolls || before.rollout?.status !== 'in-progress');
}

/** Returns the progress of the last rollout. A cancelled rollout is in progress until its last step has ended. */
export function groupRolloutProgress(state: NodeGroupState): GroupRolloutProgress | undefined {
  const { rollout, status } = state;
  if (!rollout) return undefined;
  const isEnding = rollout.status === 'cancelled' && status !== 'ACTIVE' && !hasCondition(state, 'Failed');
  return {
    operationId: rollout.id,
    status: isEnding ? 'in-progress' : rollout.status,
    planDeviated: hasCondition(state, 'PlanDeviated'),
    ...omitUndefined({ reason: rollout.status === 'failed' ? nodeGroupStatusReason(state) : undefined }),
  };
}

const awaitsOpenRollout = ({ rollout }: NodeGroupState, member: Member): boolean =>
  rollout !== undefined && rollout.status !== 'completed' && awaitsRollout(rollout, member);

/** Returns how many nodes still have to be replaced, rebuilt or rebooted, halted or not. */
export function countRemainingNodes(state: NodeGroupState): number {
  const outdated = (m: Member | undefined): boolean => m !== undefined && isStaying(m) && isOutdated(state, m);
  const predecessor = (m: Member): Member | undefined => state.members.get(m.replaces ?? '');
  return countedMembers(state).filter(m => outdated(m) || outdated(predecessor(m)) || awaitsOpenRollout(state, m))
    .length;
}

/** Returns the nodes that a retry would replace or rebuild, which takes the data on them. */
export function nodesToRenew(state: NodeGroupState): readonly string[] {
  const isRebuilt = (m: Member): boolean => state.rollout?.kind === 'rebuild' && awaitsOpenRollout(state, m);
  const renewed = [...state.members.values()].filter(m => isStaying(m) && (isOutdated(state, m) || isRebuilt(m)));
  return renewed.map(({ id }) => id);
}

/** Counts a change of the group, which is no longer active until its nodes have followed. */
export const changed = (state: NodeGroupState): NodeGroupState => ({
  ...state,
  revision: state.revision + 1,
  conditions: withoutConditions(state.conditions, 'Failed', 'PlanDeviated'),
  replaced: 0,
  status: state.deleting ? 'DELETING' : 'UPDATING',
});

export function withOperation(state: NodeGroupState, operation: GroupOperation | undefined): NodeGroupState {
  if (!operation) return state;
  const { id, kind, countBefore, direction, nodes, nodeId, planned, discardVolumes } = operation;
  const optional = omitUndefined({ countBefore, direction, nodes, nodeId, planned, discardVolumes });
  const started = { id, kind, ...optional };
  return { ...state, operations: [...state.operations, started], lastOperationId: id };
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
  const next = cancelOperation(state, { type: 'OperationCancelRequested', data: { operationId } });
  const { nodes, countBefore } = next.operations.find(o => o.id === operationId) ?? {};
  const isRollout = nodes !== undefined || state.rollout?.id === operationId;
  const stopped = isRollout ? withRolloutHalted(next, 'cancelled') : next;
  const isLatest = countBefore !== undefined && state.lastOperationId === operationId;
  return isLatest ? withCount(stopped, countBefore) : stopped;
}

/** Changes the count. Misplaced nodes are determined again only when there are some: failures may leave zones uneven without a move. */
export function withCount(state: NodeGroupState, count: number): NodeGroupState {
  const next = { ...state, spec: { ...state.spec, count } };
  return [...state.members.values()].some(m => m.misplaced) ? withMisplaced(next) : next;
}

/** Starts a rollout through all existing nodes in place of an earlier one. */
export function withRollout(
  state: NodeGroupState,
  { operationId, operation, planned, discardVolumes }: NodeGroupEvents['NodeGroupRebuildRequested'],
  kind: NodeRolloutKind,
): NodeGroupState {
  const rollout: NodeGroupRollout = {
    id: operationId,
    kind,
    untilOrdinal: state.nextOrdinal,
    status: 'in-progress',
    ...omitUndefined({ discardVolumes }),
  };
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
  const resumed = withRolloutResumed(state);
  const isOpen = rollout && rollout.status !== 'completed';
  const next: NodeGroupState = isOpen ? { ...resumed, rollout: { ...rollout, status: 'in-progress' } } : resumed;
  return withOperation({ ...next, replacesLost: true }, { ...operation, nodes: countRemainingNodes(state) });
}

const isAnyGiven = (...values: readonly unknown[]): boolean => values.some(value => value !== undefined);

/** Applies the changes. New nodes are built from the new specification. A rollout ends where nodes are replaced anyway. */
export function withUpdate(
  state: NodeGroupState,
  { changes, rollingOptions, operation }: NodeGroupEvents['NodeGroupUpdated'],
): NodeGroupState {
  const { count, zones, flavor, image, dataVolumeGb, volumes, options, labels, taints } = changes;
  const spec = changedGroupSpec(state.spec, changes);
  const inPlace = changedOptions(state.spec.options, spec.options).some(o => rollingOptions?.includes(o) === false);
  const plain: NodeGroupState = {
    ...state,
    spec,
    builds: isAnyGiven(flavor, image, dataVolumeGb, volumes, options)
      ? withBuild(state.builds, spec, rollingOptions)
      : state.builds,
    metadataGeneration: state.metadataGeneration + (inPlace || isAnyGiven(labels, taints) ? 1 : 0),
  };
  const next = zones === undefined ? withCount(plain, spec.count) : withMisplaced(plain);
  const rolls = supersedesRollout(state, next, changes);
  if (!rolls && count === undefined) return withOperation({ ...next, revision: state.revision + 1 }, operation);
  const { rollout: _over, ...others } = changed(next);
  const going: NodeGroupState = rolls ? withRolloutResumed(others) : changed(next);
  const nodes = rolls ? Math.max(countRemainingNodes(going), countMissing(state)) : undefined;
  const countBefore = count === undefined ? undefined : state.spec.count;
  return withOperation(going, operation && { ...operation, ...omitUndefined({ nodes, countBefore }) });
}
