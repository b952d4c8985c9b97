import { hasCondition } from '../kernel/condition.js';
import {
  failedRemovals,
  isAvailable,
  removalOf,
  stepOperation,
  updateFailure,
  type Events,
  type GroupFacts,
} from './group-facts.js';
import { batchLimit } from './group-batches.js';
import { awaitsRollout } from './group-membership.js';
import { updateBounds } from './node-group-spec.js';
import { ROLLING_REPLACEMENT, type Member } from './node-group-state.js';
import { keepsData, keptPredecessors } from './retained-data.js';
import { spreadOverZones } from './zone-spread.js';

/** The maximum number of nodes that one append adds or starts; further nodes follow with the next. */
export const MAX_NODES_PER_APPEND = 1_000;

/** Returns whether the next step may start: nothing blocks the group and no removal failed permanently. */
const canContinue = (facts: GroupFacts): boolean =>
  facts.input.blocked === undefined && failedRemovals(facts).length === 0;

/** Returns the leaving nodes that count against the surge: failed nodes and failed removals do not. */
const leavingWithCapacity = (facts: GroupFacts): readonly Member[] => {
  const stuck = new Set(failedRemovals(facts));
  return facts.leaving.filter(m => m.reason !== 'failed' && !stuck.has(m));
};

/** Returns how many nodes may be taken out of service now. */
export function disruptionsAllowed(facts: GroupFacts): number {
  const { spec, staying } = facts;
  const { unavailable } = updateBounds(spec.updateStrategy, spec.count);
  return Math.max(0, staying.filter(m => isAvailable(facts, m)).length - (spec.count - unavailable));
}

/** Returns how many nodes may be added above the count. */
function surgeLeft(facts: GroupFacts): number {
  const { spec, staying } = facts;
  const { surge } = updateBounds(spec.updateStrategy, spec.count);
  const kept = keptPredecessors(facts).length;
  return Math.max(0, spec.count + surge + kept - staying.length - leavingWithCapacity(facts).length);
}

/** Returns how many nodes may be added while a rolling replacement still removes nodes; unlimited at other times. */
export const additionsAllowed = (facts: GroupFacts): number =>
  leavingWithCapacity(facts).some(m => m.reason === ROLLING_REPLACEMENT) ? surgeLeft(facts) : Infinity;

/** Returns whether the specification of the predecessor was restored while it is still available, so that the successor is not needed. */
export function isSuccessorUnneeded(facts: GroupFacts, successor: Member): boolean {
  const { state, outdated } = facts;
  if (hasCondition(state, 'RolloutHalted') || !outdated.has(successor)) return false;
  const before = state.members.get(successor.replaces ?? '');
  return before?.leaving === false && !outdated.has(before) && isAvailable(facts, before);
}

/** Removes outdated nodes that are not ready at once, and successors that are not needed as far as the update strategy allows. */
export function unneededEvents(facts: GroupFacts): Events {
  const { state, input, counted, outdated } = facts;
  if (outdated.size === 0 || hasCondition(state, 'RolloutHalted') || !canContinue(facts)) return [];
  const open = counted.filter(m => !keepsData(facts, m));
  const idle = open.filter(m => outdated.has(m) && !input.nodes(m.id)?.ready);
  const back = open.filter(m => input.nodes(m.id)?.ready && isSuccessorUnneeded(facts, m));
  const spared = back.length > 0 ? back.slice(0, disruptionsAllowed(facts)) : back;
  return removalOf(facts, [...idle, ...spared], ROLLING_REPLACEMENT, stepOperation(state));
}

/**
 * Returns the next step of a rolling replacement, once the nodes of the last step are available: successors for as many outdated nodes as
 * the surge allows, and the removal of as many more as may be unavailable. Reconciliation adds the nodes that are missing then.
 */
export function replacementStep(facts: GroupFacts): Events {
  const { state, spec, input, counted } = facts;
  if (facts.outdated.size === 0 || hasCondition(state, 'RolloutHalted') || !canContinue(facts)) return [];
  const outdated = counted.filter(m => facts.outdated.has(m) && !keepsData(facts, m)).slice(0, MAX_NODES_PER_APPEND);
  if (outdated.length === 0 || counted.length !== spec.count) return [];
  if (!counted.every(m => isAvailable(facts, m))) return [];
  const batch = outdated.slice(0, batchLimit(facts));
  const surged = batch.slice(0, surgeLeft(facts));
  const taken = batch.slice(surged.length, surged.length + disruptionsAllowed(facts));
  const stepping = new Set([...surged, ...taken]);
  const others = counted.filter(m => !stepping.has(m));
  const fresh = spreadOverZones(spec.zones, others, input.freshIds(surged.length), state.nextOrdinal);
  const nodes = fresh.map((node, i) => ({ ...node, replaces: surged[i]?.id ?? '' }));
  const operationId = stepOperation(state);
  const added = { nodes, reason: ROLLING_REPLACEMENT, operationId };
  return [
    ...(nodes.length > 0 ? [{ type: 'NodesAdded', data: added } as const] : []),
    ...removalOf(facts, taken, ROLLING_REPLACEMENT, operationId),
  ];
}

/** Returns the next batch of a rollout, once the last batch is available again: as many nodes as may be unavailable, at least one. */
export function rolloutBatchStep(facts: GroupFacts): Events {
  const { state, spec, input, counted } = facts;
  const { rollout } = state;
  if (rollout?.status !== 'in-progress' || !canContinue(facts)) return [];
  const isUnderWay = counted.some(
    m => m.rolloutId === rollout.id && input.nodes(m.id)?.completedRolloutId !== rollout.id,
  );
  if (isUnderWay || !counted.every(m => isAvailable(facts, m))) return [];
  const { unavailable } = updateBounds(spec.updateStrategy, spec.count);
  const atOnce = Math.min(MAX_NODES_PER_APPEND, Math.max(1, unavailable), batchLimit(facts));
  const isSpared = (m: Member): boolean => rollout.kind === 'rebuild' && keepsData(facts, m);
  const nodeIds = counted.filter(m => awaitsRollout(rollout, m) && !isSpared(m)).map(m => m.id);
  if (nodeIds.length === 0 || atOnce === 0) return [];
  const data = { nodeIds: nodeIds.slice(0, atOnce), operationId: stepOperation(state) };
  return [{ type: 'RolloutBatchAccepted', data }];
}

/** Returns whether nodes still have to be replaced, to take part in the rollout, or to get new labels. */
export function isRolling(facts: GroupFacts): boolean {
  const { state, input, counted } = facts;
  const { rollout } = state;
  return counted.some(m => {
    const { completedRolloutId, hasOutdatedMetadata } = input.nodes(m.id) ?? {};
    const lags = hasOutdatedMetadata === true && updateFailure(facts, m) === undefined;
    const isKept = keepsData(facts, m);
    const outdated = !hasCondition(state, 'RolloutHalted') && facts.outdated.has(m) && !isKept;
    const isInBatch =
      rollout !== undefined &&
      rollout.status !== 'completed' &&
      m.rolloutId === rollout.id &&
      completedRolloutId !== rollout.id;
    const isSpared = isKept && rollout?.kind === 'rebuild';
    const waits = rollout?.status === 'in-progress' && awaitsRollout(rollout, m) && !isSpared;
    return lags || outdated || waits || isInBatch;
  });
}
