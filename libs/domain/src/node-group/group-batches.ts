import { hasCondition } from '../kernel/condition.js';
import { instantMs } from '../kernel/instant.js';
import { degradedEvents, failureReason, isAvailable, type Events, type GroupFacts } from './group-facts.js';
import { awaitsRollout } from './group-membership.js';
import { appliedPolicy } from './group-policies.js';
import { keepsData } from './retained-data.js';
import { updateBounds } from './node-group-spec.js';
import type { Member } from './node-group-state.js';

/** Returns whether further nodes have to be replaced, rebuilt or rebooted by a rollout that is not halted. */
function hasFurtherNodes(facts: GroupFacts): boolean {
  const { state, counted, outdated } = facts;
  const { rollout } = state;
  const open = rollout && rollout.kind !== 'rebuild' ? counted : counted.filter(m => !keepsData(facts, m));
  const waits = rollout?.status === 'in-progress' && open.some(m => awaitsRollout(rollout, m));
  return waits || (!hasCondition(state, 'RolloutHalted') && open.some(m => outdated.has(m)));
}

/** Notes the end of a batch after which the policy pauses, once its nodes are in service. */
export function batchEndedEvents(facts: GroupFacts): Events {
  const { state, spec, input, counted } = facts;
  const { batch } = input.policies ?? {};
  if (!batch?.pauseSeconds || !state.batch?.isOpen || !hasFurtherNodes(facts)) return [];
  const { rollout } = state;
  const isUnderWay = counted.some(
    m => rollout && m.rolloutId === rollout.id && input.nodes(m.id)?.completedRolloutId !== rollout.id,
  );
  if (isUnderWay || counted.length !== spec.count || !counted.every(m => isAvailable(facts, m))) return [];
  return [{ type: 'NodeBatchEnded', data: { pauseSeconds: batch.pauseSeconds, ...appliedPolicy(batch) } }];
}

/** Returns how many nodes the next batch may have by policy: none during the pause after the last one; unlimited without a policy. */
export function batchLimit({ state, spec, input }: GroupFacts): number {
  const { batch } = input.policies ?? {};
  if (!batch) return Infinity;
  const { endedAt } = state.batch ?? {};
  if (endedAt !== undefined && input.now !== undefined) {
    const resumesMs = instantMs(endedAt) + (batch.pauseSeconds ?? 0) * 1000;
    if (resumesMs > instantMs(input.now)) {
      input.wake?.(resumesMs);
      return 0;
    }
  }
  return Math.max(1, updateBounds({ maxSurge: 1, maxUnavailable: batch.maxBatch }, spec.count).unavailable);
}

/** Returns whether a rollout put the node where it is now: it is a successor, or was rebuilt or rebooted. */
const isOfRollout = ({ state, outdated }: GroupFacts, member: Member): boolean =>
  (member.replaces !== undefined && !outdated.has(member)) ||
  (member.rolloutId !== undefined && member.rolloutId === state.rollout?.id);

const isStopping = ({ input }: GroupFacts): boolean =>
  input.policies?.batch !== undefined && input.policies.batch.stopOnFailure !== false;

/** Stops the rollout when a node of a batch failed, where the policy says so. */
export function batchFailureEvents(facts: GroupFacts): Events {
  const { counted, input } = facts;
  if (!isStopping(facts) || !hasFurtherNodes(facts)) return [];
  const hasFailed = counted.some(m => isOfRollout(facts, m) && input.nodes(m.id)?.failed);
  const reason = hasFailed ? failureReason(facts) : undefined;
  return reason === undefined ? [] : degradedEvents(facts, reason, 'batch-failed');
}

/** Returns whether the failed node stays as it is because its rollout stopped with it. */
export const isLeftByStoppedBatch = (facts: GroupFacts, member: Member): boolean =>
  isStopping(facts) && hasCondition(facts.state, 'RolloutHalted') && isOfRollout(facts, member);
