import { countedMembers, currentBuild, outdatedMembers } from './group-membership.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupState } from './node-group-state.js';

/** Returns whether nodes are being replaced, rebuilt or rebooted step by step. */
export const isRollingOut = ({ operations, rollout }: NodeGroupState): boolean =>
  rollout?.status === 'in-progress' || operations.some(o => o.nodes !== undefined);

const isBuilt = ({ flavor, image, dataVolumeGb, options, zones }: NodeGroupChanges): boolean =>
  [flavor, image, dataVolumeGb, options, zones].some(value => value !== undefined);

/** Returns how many nodes the group lacks; leaving nodes do not count. */
export const countMissing = (state: NodeGroupState): number =>
  Math.max(0, (state.spec?.count ?? 0) - countedMembers(state).length);

/** Returns whether the change replaces further nodes, or changes nodes that are still to be built. */
function changesSteps(before: NodeGroupState, after: NodeGroupState): boolean {
  if (currentBuild(before) !== currentBuild(after)) return true;
  if (after.spec?.zones.length !== 0 && countMissing(before) > 0) return true;
  return [...after.members.values()].some(m => m.misplaced !== before.members.get(m.id)?.misplaced);
}

/**
 * Returns whether a patch that leads from one state to the other replaces nodes, and so supersedes a rolling replacement or rollout.
 * A replacement that the patch does not affect continues; so does a rollout when no node has to be replaced.
 */
export function supersedesRollout(before: NodeGroupState, after: NodeGroupState, changes: NodeGroupChanges): boolean {
  if (!isBuilt(changes)) return false;
  const rolls = outdatedMembers(after).length > 0;
  if (!isRollingOut(before)) return rolls;
  return changesSteps(before, after) && (rolls || before.rollout?.status !== 'in-progress');
}
