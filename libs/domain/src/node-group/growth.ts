import { currentBuild, isStaying } from './group-membership.js';
import type { NodeGroupState } from './node-group-state.js';

/**
 * Returns whether the group has as many nodes as it should have and waits for nothing but their first builds: no node leaves, is replaced
 * or outdated. While each of its nodes is in service or being built and not all are in service, {@link reconcileNodeGroup} results in no
 * event, unless the cluster blocks builds.
 */
export function isGrowing(state: NodeGroupState): boolean {
  const { spec, members, rollout, deleting, status, metadataGeneration } = state;
  const isRollingOut = rollout !== undefined && rollout.status !== 'completed';
  if (deleting || status === 'ACTIVE' || isRollingOut || metadataGeneration > 0) return false;
  if (members.size !== spec.count) return false;
  const build = currentBuild(state);
  return [...members.values()].every(
    m => isStaying(m) && m.replaces === undefined && !m.misplaced && m.build === build,
  );
}
