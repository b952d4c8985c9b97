import type { Options } from '@stave/driver-sdk';
import type { TaskRouting } from '@stave/service-kit';
import type { SchedulerProjection } from './scheduler.projection.js';

/** Returns which conductors work on what a cluster has once, or on what is on one of its nodes; undefined while they cannot. */
export function routingIn(
  { clusters, nodes, groups }: SchedulerProjection,
  clusterId: string,
  nodeId?: string,
): TaskRouting | undefined {
  const cluster = clusters.get(clusterId);
  const node = nodeId === undefined ? undefined : nodes.get(nodeId);
  if (!cluster?.built || (nodeId !== undefined && !node)) return undefined;
  const group = node && groups.get(node.declared.nodeGroupId)?.spec.conductorGroup;
  const { driver, driverVersion, conductorGroup } = cluster.spec;
  return { group: group ?? conductorGroup, driver, version: driverVersion };
}

/** Returns which conductors work on the nodes of a cluster. */
export function routingsIn(
  { clusters, groups, groupsByCluster }: SchedulerProjection,
  id: string,
): readonly TaskRouting[] {
  const { driver, driverVersion: version, conductorGroup } = clusters.get(id)?.spec ?? {};
  if (driver === undefined || version === undefined || conductorGroup === undefined) return [];
  const own = groupsByCluster.in(id).flatMap(groupId => groups.get(groupId)?.spec.conductorGroup ?? []);
  return [...new Set([conductorGroup, ...own])].map(group => ({ group, driver, version }));
}

/** Returns the conductor groups of the cluster of a resource: containers move between its nodes. */
export const groupsIn = (
  projection: SchedulerProjection,
  resource: { readonly declared: { readonly clusterId: string } } | undefined,
): readonly string[] => (resource ? routingsIn(projection, resource.declared.clusterId).map(({ group }) => group) : []);

/** Returns the driver options of a node as they are now: those of its cluster, and those of its node group, which win. */
export function optionsIn(
  { clusters, groups, nodes }: SchedulerProjection,
  clusterId: string,
  nodeId?: string,
): Options {
  const node = nodes.get(nodeId ?? '')?.declared;
  const own = groups.get(node?.nodeGroupId ?? '')?.spec.options ?? node?.spec.options;
  return { ...clusters.get(clusterId)?.spec.options, ...own };
}
