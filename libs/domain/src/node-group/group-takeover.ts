import { countedMembers, currentBuild, outdatedMembers } from './group-membership.js';
import type { NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupState } from './node-group-state.js';

/** Its nodes are being replaced, rebuilt or restarted step by step. */
export const isRollingOut = ({ operations, rollout }: NodeGroupState): boolean =>
  rollout?.status === 'in-progress' || operations.some(o => o.nodes !== undefined);

const isBuilt = ({ flavor, image, dataVolumeGb, options, zones }: NodeGroupChanges): boolean =>
  [flavor, image, dataVolumeGb, options, zones].some(value => value !== undefined);

/** Nodes that the group should have and has not, continuinges not counted. */
export const countMissing = (state: NodeGroupState): number =>
  Math.max(0, (state.spec?.count ?? 0) - countedMembers(state).length);

/** Others have to go, or what is still to be made is made otherwise. */
function changesSteps(before: NodeGroupState, after: NodeGroupState): boolean {
  if (currentBuild(before) !== currentBuild(after)) return true;
  if (after.spec?.zones.length !== 0 && countMissing(before) > 0) return true;
  return [...after.members.values()].some(m => m.misplaced !== before.members.get(m.id)?.misplaced);
}

/**
 * Whether a patch that leads from the one state to the other replaces nodes, and takes the place of what goes through them step by step.
 * What it changes nothing of continues; so does a round of rebuilds or restarts where nobody has to be replaced.
 */
export function supersedesRollout(before: NodeGroupState, after: NodeGroupState, changes: NodeGroupChanges): boolean {
  if (!isBuilt(changes)) return false;
  const rolls = outdatedMembers(after).length > 0;
  if (!isRollingOut(before)) return rolls;
  return changesSteps(before, after) && (rolls || before.rollout?.status !== 'in-progress');
}
