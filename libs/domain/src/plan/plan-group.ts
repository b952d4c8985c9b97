import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { isOutdated } from '../node-group/group-membership.js';
import { isRollingOut } from '../node-group/rollout-supersession.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { groupSteps } from './group-steps.js';
import { simulateGroup, type GroupPlanInput } from './ideal-group.js';
import type { PlanStep } from './plan.js';

/** A change of a group: the state before (undefined for a creation), the events, and the state after them. */
export interface GroupEffect {
  readonly before: NodeGroupState | undefined;
  readonly after: NodeGroupState;
  readonly events: readonly NodeGroupEvent[];
}

/** Returns the nodes that have failed. */
export const failedIn = ({ members }: NodeGroupState, { nodes }: GroupPlanInput): ReadonlySet<string> =>
  new Set([...members.keys()].filter(id => nodes(id)?.failed));

/** Returns one step for each node of the group, as executed when nothing fails. */
export function planGroup({ before, after, events }: GroupEffect, around: GroupPlanInput): readonly PlanStep[] {
  const first = before ?? nodeGroupStream.initial;
  return groupSteps(first, [...events, ...simulateGroup(after, around)], failedIn(first, around));
}

/**
 * Returns why the steps of each node cannot be predicted: a node is being replaced, or nodes are added and removed while others are
 * replaced, rebuilt or rebooted. Undefined when they can.
 */
export function unsettledGroup(
  { before = nodeGroupStream.initial, after }: GroupEffect,
  { nodes }: GroupPlanInput,
): string | undefined {
  const members = [...before.members.values()];
  const replacing = members.some(({ replaces = '' }) => before.members.get(replaces)?.leaving === false);
  const moving = members.some(({ id, leaving }) => {
    const view = nodes(id);
    return leaving || (!view?.failed && (!view?.ready || view.busy === true));
  });
  const outdated = [...after.members.values()].some(m => isOutdated(after, m));
  const steps = outdated || isRollingOut(before) || isRollingOut(after);
  if (after.deleting || !(replacing || (steps && moving))) return undefined;
  return 'nodes of the group are being added or removed; plan again when that has finished';
}

/** Returns the nodes that had failed before the plan was made. */
export const failedNodesIn = (steps: readonly PlanStep[]): readonly string[] =>
  steps.flatMap(({ failed, resource: { id } }) => (failed && id !== undefined ? [id] : []));
