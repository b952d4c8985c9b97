import {
  amountsOfNode,
  isStaying,
  spreadOverZones,
  type GrowableGroup,
  type NodeGroupState,
  type NodeView,
} from '@stave/domain';
import type { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import type { ProjectRoom } from '../quotas/project-room.js';
import { growthBlock } from './growth-block.js';

/** Returns the node groups of a cluster with the next node of each. The cost is that of the groups and of their members that count. */
export function growableGroups(
  snapshots: ClusterSnapshots,
  room: ProjectRoom,
  clusterId: string,
): readonly GrowableGroup[] {
  const { projection } = snapshots;
  const cluster = projection.clusters.get(clusterId);
  const now = Date.now();
  return projection.groupsByCluster.in(clusterId).flatMap(id => {
    const group = projection.groups.get(id);
    if (!group || group.deleting || group.deleted || !cluster) return [];
    const { name } = group.declared;
    const { count, maxCount } = group.spec;
    const blocked = growthBlock(id => projection.nodes.get(id), cluster, group, now) ?? blockedByQuota(room, group);
    return [
      {
        id,
        name,
        node: nextNode(snapshots, clusterId, group),
        count,
        ...(maxCount !== undefined && { maxCount }),
        isAutoscaled: group.spec.autoscaling?.enabled === true,
        ...(blocked && { blocked }),
      },
    ];
  });
}

/** Returns the next node of the group: in the zone that its spread gives it, and with the capacity of the node that was built last. */
function nextNode(snapshots: ClusterSnapshots, clusterId: string, group: NodeGroupState): NodeView {
  const { id, name } = group.declared;
  const { spec, nextOrdinal } = group;
  const staying = [...group.members.values()].filter(isStaying);
  const [next] = spreadOverZones(spec.zones, staying, [`next-of-${id}`], nextOrdinal);
  const { id: nodeId = '', ordinal = 0, ...place } = next ?? {};
  const built = staying.map(member => snapshots.projection.nodes.get(member.id)?.result?.capacity);
  const { cpus, memoryMb } = built.findLast(capacity => capacity !== undefined) ?? spec.flavor;
  return {
    id: nodeId,
    name: `${name}-${ordinal}`,
    nodeGroupId: id,
    ...place,
    ready: true,
    schedulable: true,
    role: spec.role,
    labels: spec.labels,
    taints: [],
    ...snapshots.groupView(clusterId, id),
    capacity: { cpus, memoryMb },
    allocated: snapshots.projection.engineReservations.onNewNode(id, { cpus, memoryMb }),
    containers: 0,
  };
}

function blockedByQuota(room: ProjectRoom, { declared, spec }: NodeGroupState): GrowableGroup['blocked'] {
  if (room.left(declared.projectId, amountsOfNode(spec)) > 0) return undefined;
  return { code: 'QUOTA', sentence: `The quota of the project has no room for a node of group ${declared.name}.` };
}
