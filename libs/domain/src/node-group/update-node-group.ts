import {
  accept,
  brokenRules,
  changeRefusal,
  conflict,
  refuse,
  type Decision,
  type Problem,
} from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { operationEnded } from '../kernel/operation.js';
import { nodeGroupAutoscalingProblems } from '../autoscaling/node-group-autoscaling.js';
import { nodeGroupStream } from './evolve-node-group.js';
import { countedMembers, outdatedMembers } from './group-membership.js';
import { countMissing, isRollingOut, supersedesRollout } from './group-operations.js';
import { changedGroupSpec, realChanges, type NodeGroupChanges } from './node-group-changes.js';
import { autoscaledRefusal } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { specDuplicates, strategyProblems, type NodeGroupSpec } from './node-group-spec.js';
import type { NodeGroupState } from './node-group-state.js';

interface UpdateRequest {
  /** The id of the operation that starts where nodes have to follow. */
  readonly operationId: string;
  readonly ifMatch?: number;
  /** The options whose change replaces nodes; absent: all. */
  readonly rollingOptions?: readonly string[];
  /** The nodes that are replaced may lose the only data of volumes that are to be retained. */
  readonly discardVolumes?: boolean;
}

/**
 * Updates the group, or refuses with every bound and limit that the result breaks. A patch without effect results in no event. Where nodes
 * have to follow, an operation starts; a running replacement or rollout ends as `superseded` where the change takes over from it.
 */
export function updateNodeGroup(
  state: NodeGroupState,
  given: NodeGroupChanges,
  { operationId, ifMatch, rollingOptions, discardVolumes }: UpdateRequest,
): Decision<NodeGroupEvent> {
  const isStillScaled = isScaled(state.spec) && isScaled(changedGroupSpec(state.spec, given));
  const scaled = given.count !== undefined && isStillScaled ? autoscaledRefusal(state.spec) : undefined;
  const refusal = changeRefusal('the node group', state, ifMatch) ?? scaled;
  if (refusal) return refuse(refusal);
  const changes = withinNewBounds(state.spec, given);
  const problems = updateProblems(changedGroupSpec(state.spec, changes), changes);
  const [only, ...others] = problems;
  const kept = only?.code === 'below-min-count' && changes.minCount === undefined && others.length === 0;
  if (kept) return refuse(conflict(only.code, `the node group must keep ${state.spec.minCount} nodes`));
  if (only) return refuse(brokenRules(problems));
  const real = realChanges(state.spec, changes);
  if (Object.keys(real).length === 0) return accept();
  const data = { changes: real, ...(real.options ? omitUndefined({ rollingOptions }) : {}) };
  const after = nodeGroupStream.evolve(state, { type: 'NodeGroupUpdated', data }, state.updatedAt);
  const over = supersedesRollout(state, after, real);
  const total = tasksOf(state, after, over);
  const allowed = discardVolumes ? { discardVolumes: true as const } : {};
  const operation = { id: operationId, kind: 'node-group.update', total, ...allowed };
  const updated: NodeGroupEvent = { type: 'NodeGroupUpdated', data: { ...data, ...(total > 0 ? { operation } : {}) } };
  return accept(updated, ...(over ? superseded(state) : []));
}

const isScaled = ({ autoscaling }: NodeGroupSpec): boolean => autoscaling?.enabled === true;

/** The count of a group that the autoscaler sets moves with a bound that excludes it. */
function withinNewBounds(spec: NodeGroupSpec, changes: NodeGroupChanges): NodeGroupChanges {
  const next = changedGroupSpec(spec, changes);
  const { minCount, maxCount = Infinity } = next;
  if (!isScaled(next) || changes.count !== undefined || minCount > maxCount) return changes;
  const count = Math.min(Math.max(next.count, minCount), maxCount);
  return count === next.count ? changes : { ...changes, count };
}

/**
 * Returns the number of tasks that follow; at least one where the change takes over. Nodes that leave anyway, outdated ones first,
 * are only removed.
 */
function tasksOf(before: NodeGroupState, after: NodeGroupState, over: boolean): number {
  const counted = countedMembers(after).length;
  const surplus = Math.max(0, counted - after.spec.count);
  const rolls = over ? Math.max(0, outdatedMembers(after).length - surplus) : 0;
  const again = isRollingOut(before) && over ? countMissing(before) : 0;
  const resized = Math.abs(after.spec.count - before.spec.count);
  const tagged = after.metadataGeneration === before.metadataGeneration ? 0 : counted - surplus - rolls;
  return Math.max(over ? 1 : 0, 2 * rolls + again + resized + tagged);
}

/** Ends the operations that roll through the nodes for an earlier specification. */
function superseded({ operations }: NodeGroupState): readonly NodeGroupEvent[] {
  const error = { code: 'superseded', detail: 'the node group was changed again' };
  return operations.filter(o => o.nodes !== undefined).map(o => operationEnded(o.id, 'CANCELLED', error));
}

function updateProblems(next: NodeGroupSpec, changes: NodeGroupChanges): readonly Problem[] {
  const strategy = strategyProblems(next.updateStrategy, '/updateStrategy');
  const twice = specDuplicates(changes, attribute => `/${attribute}`);
  const unbounded = nodeGroupAutoscalingProblems(next, '/maxCount');
  const bounds = boundProblems(next, changes.count !== undefined);
  return [...bounds, ...labelProblems(changes.labels), ...strategy, ...twice, ...unbounded];
}

/** Returns the bounds that the count breaks, reported at the count where that is changed too. */
function boundProblems({ count, minCount, maxCount = Infinity }: NodeGroupSpec, resizes: boolean): readonly Problem[] {
  const detail = `the node group has ${count} nodes; resize it first`;
  const broken = (bound: 'minCount' | 'maxCount', code: string, boundCode: string): Problem =>
    resizes
      ? { pointer: '/count', code, detail: `count is ${bound === 'minCount' ? 'below' : 'above'} ${bound}` }
      : { pointer: `/${bound}`, code: boundCode, detail };
  return [
    ...(minCount > maxCount
      ? [{ pointer: '/minCount', code: 'min-above-max', detail: 'minCount is above maxCount' }]
      : []),
    ...(count < minCount ? [broken('minCount', 'below-min-count', 'count-below-min')] : []),
    ...(count > maxCount ? [broken('maxCount', 'above-max-count', 'count-above-max')] : []),
  ];
}
