import { hasCondition } from '../kernel/condition.js';
import {
  failedRemovals,
  isAvailable,
  stepOperation,
  updateFailure,
  type Events,
  type GroupFacts,
} from './group-facts.js';
import { awaitsRollout } from './group-membership.js';
import { ROLLING_REPLACEMENT, type Member } from './node-group-state.js';
import { updateBounds } from './update-strategy.js';
import { spreadOverZones } from './zone-spread.js';

/** At most so many nodes are added or reported by one append; the rest follows. */
export const MAX_NODES_PER_APPEND = 1_000;

/** Steps continue: nothing failed permanently or cancelled that exists against it. */
const canContinue = (facts: GroupFacts): boolean =>
  facts.input.blocked === undefined && failedRemovals(facts).length === 0;

/** Nodes that still use room: all but those that failed, and those whose removal failed permanently. */
const leavingWithCapacity = (facts: GroupFacts): readonly Member[] => {
  const stuck = new Set(failedRemovals(facts));
  return facts.leaving.filter(m => m.reason !== 'failed' && !stuck.has(m));
};

/** How many nodes in service may go now. */
export function disruptionsAllowed(facts: GroupFacts): number {
  const { spec, staying } = facts;
  const { unavailable } = updateBounds(spec.updateStrategy, spec.count);
  return Math.max(0, staying.filter(m => isAvailable(facts, m)).length - (spec.count - unavailable));
}

/** How many may be added while nodes leave that were rolled out before there was another in their place. */
export function surgeLeft(facts: GroupFacts): number {
  const { spec, staying } = facts;
  const leaving = leavingWithCapacity(facts);
  if (!leaving.some(m => m.reason === ROLLING_REPLACEMENT)) return Infinity;
  const { surge } = updateBounds(spec.updateStrategy, spec.count);
  return Math.max(0, spec.count + surge - staying.length - leaving.length);
}

/** The group went back to what its predecessor still is, and that serves: it is not needed any more. */
export function isSuccessorUnneeded(facts: GroupFacts, successor: Member): boolean {
  const { state, outdated } = facts;
  if (hasCondition(state, 'RolloutHalted') || !outdated.has(successor)) return false;
  const before = state.members.get(successor.replaces ?? '');
  return before?.leaving === false && !outdated.has(before) && isAvailable(facts, before);
}

/** Outdated nodes that do not stand serve nobody: they go at once. So do successors that are not needed, as far as nodes can be spared. */
export function unneededEvents(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, spec, input, outdated } = facts;
  if (outdated.size === 0 || hasCondition(state, 'RolloutHalted') || !canContinue(facts)) return [];
  const idle = counted.filter(m => outdated.has(m) && !input.nodes(m.id)?.ready);
  const back = counted.filter(m => input.nodes(m.id)?.ready && isSuccessorUnneeded(facts, m));
  const spared = back.length > 0 ? back.slice(0, disruptionsAllowed(facts)) : back;
  const nodeIds = [...idle, ...spared].map(m => m.id);
  return nodeIds.length > 0 ? [removal(facts, nodeIds, spec.count)] : [];
}

const removal = (facts: GroupFacts, nodeIds: readonly string[], count: number): Events[number] => ({
  type: 'NodeRemovalAccepted',
  data: { nodeIds, count, reason: ROLLING_REPLACEMENT, operationId: stepOperation(facts.state) },
});

/**
 * The next step of a rolling replacement, once the last one's nodes are in service: successors for as many outdated nodes as the surge has
 * room for, and as many more taken away at once as may be missing; `missing` makes those again.
 */
export function replacementStep(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, spec, staying, input } = facts;
  if (facts.outdated.size === 0 || hasCondition(state, 'RolloutHalted') || !canContinue(facts)) return [];
  const outdated = counted.filter(m => facts.outdated.has(m)).slice(0, MAX_NODES_PER_APPEND);
  if (outdated.length === 0 || counted.length !== spec.count) return [];
  if (!counted.every(m => isAvailable(facts, m))) return [];
  const { surge } = updateBounds(spec.updateStrategy, spec.count);
  const room = Math.max(0, spec.count + surge - staying.length - leavingWithCapacity(facts).length);
  const surged = outdated.slice(0, room);
  const taken = outdated.slice(surged.length, surged.length + disruptionsAllowed(facts));
  const stepping = new Set([...surged, ...taken]);
  const others = counted.filter(m => !stepping.has(m));
  const fresh = spreadOverZones(spec.zones, others, input.freshIds(surged.length), state.nextOrdinal);
  const nodes = fresh.map((node, i) => ({ ...node, replaces: surged[i]?.id ?? '' }));
  const operationId = stepOperation(state);
  return [
    ...(nodes.length > 0
      ? [{ type: 'NodesAdded' as const, data: { nodes, reason: ROLLING_REPLACEMENT, operationId } }]
      : []),
    ...(taken.length > 0
      ? [
          removal(
            facts,
            taken.map(m => m.id),
            spec.count,
          ),
        ]
      : []),
  ];
}

/** The next nodes whose turn it is to be rebuilt or restarted, once the last ones are in service again: as many as may be missing, at least one. */
export function rolloutBatchStep(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, spec, input } = facts;
  const { rollout } = state;
  if (rollout?.status !== 'in-progress' || !canContinue(facts)) return [];
  const reported = counted.some(
    m => m.rolloutId === rollout.id && input.nodes(m.id)?.completedRolloutId !== rollout.id,
  );
  if (reported || !counted.every(m => isAvailable(facts, m))) return [];
  const { unavailable } = updateBounds(spec.updateStrategy, spec.count);
  const atOnce = Math.min(MAX_NODES_PER_APPEND, Math.max(1, unavailable));
  const nodeIds = counted.filter(m => awaitsRollout(rollout, m)).map(m => m.id);
  if (nodeIds.length === 0) return [];
  const data = { nodeIds: nodeIds.slice(0, atOnce), operationId: stepOperation(state) };
  return [{ type: 'RolloutBatchAccepted', data }];
}

/** Nodes are outdated, await their turn or do not have the group's labels yet, and that continues. */
export function isRolling(facts: GroupFacts, counted: readonly Member[]): boolean {
  const { state, input } = facts;
  const { rollout } = state;
  return counted.some(m => {
    const { completedRolloutId, hasOutdatedMetadata } = input.nodes(m.id) ?? {};
    const lags = hasOutdatedMetadata === true && updateFailure(facts, m) === undefined;
    const outdated = !hasCondition(state, 'RolloutHalted') && facts.outdated.has(m);
    const onTurn =
      rollout !== undefined &&
      rollout.status !== 'completed' &&
      m.rolloutId === rollout.id &&
      completedRolloutId !== rollout.id;
    const waits = rollout?.status === 'in-progress' && awaitsRollout(rollout, m);
    return lags || outdated || waits || onTurn;
  });
}
