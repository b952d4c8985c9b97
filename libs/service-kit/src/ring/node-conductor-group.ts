import type { ClusterState, NodeGroupState, NodeState } from '@stave/domain';

/** Where the conductor groups of nodes are looked up. */
interface Places {
  readonly groups: { get(id: string): NodeGroupState | undefined };
  readonly clusters: { get(id: string): ClusterState | undefined };
}

/** Returns the conductor group of a node: that of its node group, or else of its cluster; undefined while neither is known. */
export const conductorGroupOf = (
  { groups, clusters }: Places,
  { clusterId, nodeGroupId }: Pick<NodeState['declared'], 'clusterId' | 'nodeGroupId'>,
): string | undefined => groups.get(nodeGroupId)?.spec.conductorGroup ?? clusters.get(clusterId)?.spec.conductorGroup;
