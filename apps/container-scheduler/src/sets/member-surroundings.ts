import {
  nodeEvictionReason,
  omitUndefined,
  setMemberView,
  type ContainerState,
  type DisruptionCause,
  type MemberSurroundings,
  type SetMemberView,
} from '@stave/domain';
import { evictedByTaint } from '../placement/evicting-taints.js';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Returns what the node of a container says about it: whether it is lost there, or has to leave. */
function surroundingsOf(projection: SchedulerProjection, state: ContainerState): MemberSurroundings {
  const { nodes, groups, placement } = projection;
  const { nodeId } = state;
  if (nodeId === undefined) return {};
  const node = nodes.get(nodeId);
  if (!node || node.deleted) return { lost: 'its node was removed' };
  if (node.lost) return { lost: node.statusReason ?? 'its node was lost' };
  const group = groups.get(node.declared.nodeGroupId);
  const isForced = group?.members.get(nodeId)?.forced === true || group?.forced === true;
  if (isForced && node.removing) return { lost: 'its node is removed by force' };
  const nodeFailure = node.status === 'FAILED' ? (node.statusReason ?? 'its node has failed') : undefined;
  const isUnneeded = placement.known(node.declared.clusterId)?.unneeded.has(nodeId) === true;
  const isLeft = (nodeEvictionReason(node) ?? evictedByTaint(projection, node, state)) !== undefined;
  const mustGo: DisruptionCause | undefined = isLeft ? 'eviction' : isUnneeded ? 'shrink' : undefined;
  return omitUndefined({ mustGo, nodeFailure });
}

/** Returns the member as its set sees it; undefined before its container exists. */
export function memberViewOf(projection: SchedulerProjection, id: string): SetMemberView | undefined {
  const state = projection.containers.get(id);
  return state && setMemberView(state, surroundingsOf(projection, state));
}

/** Returns the zone of the node that the container is on. */
export const zoneOfMember = ({ containers, nodes }: SchedulerProjection, id: string): string | undefined =>
  nodes.get(containers.get(id)?.nodeId ?? '')?.declared.zone;
