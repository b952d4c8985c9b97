import { evictingTaint, taintText, type ContainerState, type NodeState } from '@stave/domain';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

type Groups = Pick<SchedulerProjection, 'groups'>;

/** The taints of its group win over those that a node was built with. */
const taintsOf = ({ groups }: Groups, { declared }: NodeState) =>
  groups.get(declared.nodeGroupId)?.spec.taints ?? declared.spec.taints;

/** Returns why the container has to leave the node although the node stays: it does not tolerate a taint with the effect NoExecute. */
export function evictedByTaint(groups: Groups, node: NodeState, { contents }: ContainerState): string | undefined {
  const taint = evictingTaint(taintsOf(groups, node), contents.tolerations);
  return taint && `its node has the taint ${taintText(taint)}`;
}

/** Whether containers may have to leave the node. */
export const hasEvictingTaint = (groups: Groups, node: NodeState): boolean =>
  evictingTaint(taintsOf(groups, node)) !== undefined;
