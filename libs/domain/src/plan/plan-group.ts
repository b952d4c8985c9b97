import { nodeGroupStream } from '../node-group/evolve-node-group.js';
import { isOutdated } from '../node-group/group-membership.js';
import { isRollingOut } from '../node-group/group-takeover.js';
import type { NodeGroupEvent } from '../node-group/node-group-events.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import { groupSteps } from './group-steps.js';
import { simulateGroup, type GroupPlanInput } from './ideal-group.js';
import type { PlanStep } from './plan.js';

/** A change of a group: the state before (undefined: there is none), the events, and the state after them. */
export interface GroupEffect {
  readonly before: NodeGroupState | undefined;
  readonly after: NodeGroupState;
  readonly events: readonly NodeGroupEvent[];
}

/** Those of its nodes that have failed by now. */
export const failedIn = ({ members }: NodeGroupState, { nodes }: GroupPlanInput): ReadonlySet<string> =>
  new Set([...members.keys()].filter(id => nodes(id)?.failed));

/** What becomes of the nodes of the group, one step each, if all goes well. */
export function planGroup({ before, after, events }: GroupEffect, around: GroupPlanInput): readonly PlanStep[] {
  const first = before ?? nodeGroupStream.initial;
  return groupSteps(first, [...events, ...simulateGroup(after, around)], failedIn(first, around));
}

/**
 * Why nobody can say in advance what becomes of which node: one is being replaced, or nodes come and go while others are to be replaced,
 * rebuilt or restarted one after the other. Undefined where that can be said.
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

/** Nodes that had failed before the plan was made. */
export const failedNodesIn = (steps: readonly PlanStep[]): readonly string[] =>
  steps.flatMap(({ failed, resource: { id } }) => (failed && id !== undefined ? [id] : []));
