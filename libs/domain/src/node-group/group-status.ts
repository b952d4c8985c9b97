import { conditionOf, hasCondition } from '../kernel/condition.js';
import { operationEnded } from '../kernel/operation.js';
import {
  degradedEvents,
  failedOperations,
  failedRemovals,
  failureReason,
  progressDetail,
  updateFailure,
  type Events,
  type GroupFacts,
} from './group-facts.js';
import { tooManyUnhealthy, watchedFailure } from './group-health.js';
import type { GroupOperation, Member, NodeGroupState } from './node-group-state.js';
import { keptReason } from './retained-data.js';
import { isRolling } from './rollout.js';

/** Ends the operations of a group whose cluster has failed, since nothing continues before the cluster is retried or deleted. */
function blockedEvents({ state, leaving }: GroupFacts, detail: string): Events {
  const end = ({ id, kind, cancelled }: GroupOperation): Events[number] => {
    if (leaving.length === 0 && cancelled) return operationEnded(id, 'CANCELLED');
    if (leaving.length === 0 && kind === 'node.delete') return operationEnded(id, 'SUCCEEDED');
    return operationEnded(id, 'FAILED', { code: 'cluster-failed', detail });
  };
  return state.operations.map(end);
}

/** Returns the end of an operation. A cancelled one shows how far it came. */
function endedOperation(state: NodeGroupState, operation: GroupOperation): Events[number] {
  const { id, cancelled } = operation;
  if (!cancelled) return operationEnded(id, 'SUCCEEDED');
  const detail = progressDetail(state, operation);
  return operationEnded(id, 'CANCELLED', detail === '' ? undefined : { code: 'cancelled', detail });
}

/** Returns whether the health policy takes care of the failed node, which has then not failed for good. */
function isBeingRepaired(facts: GroupFacts, member: Member): boolean {
  const { state, spec, input } = facts;
  const isExhausted = state.replaced >= (input.replacementBudget ?? Math.max(3, spec.count));
  return watchedFailure(facts, member) !== undefined && !isExhausted && !hasCondition(state, 'Failed');
}

/** Degrades a group whose unhealthy nodes are repaired. Operations end while there are too many, since nothing is done then. */
function unhealthyEvents(facts: GroupFacts, reason: string): Events {
  const many = tooManyUnhealthy(facts);
  if (!many) return degradedEvents(facts, reason);
  const why = `${TOO_MANY}: ${many.unhealthy} nodes are unhealthy at once, up to ${many.most} are repaired; ${reason}`;
  return [...degradedEvents(facts, why), ...failedOperations(facts.state, TOO_MANY, why)];
}

const TOO_MANY = 'too-many-unhealthy';

/** Returns why a group whose nodes are all ready is not as it was requested: a rollout failed and left nodes as they were. */
function outdatedReason({ state, outdated, counted }: GroupFacts): string | undefined {
  if (conditionOf(state, 'RolloutHalted')?.reason !== 'RolloutFailed') return undefined;
  const left = counted.filter(m => outdated.has(m)).length;
  return left > 0 ? `${left} of ${counted.length} nodes are outdated, since the rollout failed` : undefined;
}

/** Returns the status events of a group that needs no further change of its nodes, with the operations that end. */
export function statusEvents(facts: GroupFacts): Events {
  const { state, spec, clusterId, leaving, awaiting, input, counted } = facts;
  const isReady = counted.every(m => input.nodes(m.id)?.ready);
  const rolls = isRolling(facts);
  const lags = counted.some(m => updateFailure(facts, m) !== undefined);
  const kept = keptReason(facts);
  const isAtRest = isReady && !rolls && awaiting.length === 0;
  if (kept !== undefined && leaving.length === 0 && (isAtRest || counted.length > spec.count))
    return degradedEvents(facts, kept, 'holds-volumes');
  if (isReady && leaving.length === 0 && awaiting.length === 0 && !rolls && !lags) {
    const left = outdatedReason(facts);
    const active: Events = state.status === 'ACTIVE' ? [] : [{ type: 'NodeGroupBecameActive', data: { clusterId } }];
    return [
      ...(left === undefined ? active : degradedEvents(facts, left)),
      ...state.operations.map(o => endedOperation(state, o)),
    ];
  }
  const stuck = failedRemovals(facts).length;
  const reason = failureReason(facts);
  if (reason !== undefined) {
    const failed = counted.filter(m => input.nodes(m.id)?.failed);
    if (failed.length > 0 && failed.every(m => isBeingRepaired(facts, m))) return unhealthyEvents(facts, reason);
    if (failed.length > 0) return degradedEvents(facts, reason, 'nodes-failed');
    const isOver = isReady && stuck === leaving.length && (stuck > 0 || !rolls);
    const code = stuck > 0 ? 'removal-failed' : 'update-failed';
    const reported = degradedEvents(facts, reason, isOver ? code : undefined);
    if (reported.length > 0) return reported;
  }
  if (input.blocked !== undefined && stuck === leaving.length) return blockedEvents(facts, input.blocked);
  const isLost = !isReady && state.status === 'ACTIVE' && leaving.length === 0;
  return isLost ? degradedEvents(facts, 'a node is not ready') : [];
}

/**
 * Stops the group when a node failed during the execution of a plan that does not replace it. Returns no events while everything goes
 * as planned.
 */
export function deviation(facts: GroupFacts): Events {
  const { state, clusterId, input, counted } = facts;
  if (hasCondition(state, 'PlanDeviated')) return [];
  const plans = [...state.operations, state].flatMap(({ planned }) => planned ?? []);
  const deviates = ({ id }: Member): boolean => {
    const { failed } = input.nodes(id) ?? {};
    return failed !== undefined && (failed.planned ?? (plans.length > 0 && !plans.some(p => p.failed.includes(id))));
  };
  const reason = counted.some(deviates) ? failureReason(facts) : undefined;
  if (reason === undefined) return [];
  return [
    { type: 'NodeGroupDegraded', data: { clusterId, reason, failed: true, planDeviated: true } },
    ...failedOperations(state, 'plan-deviated', reason, 'what would follow was not planned'),
  ];
}
