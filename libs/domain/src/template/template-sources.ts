import type { Marks, SourceRef } from '../attribute-resolution/layers.js';
import type { ClusterSource } from '../attribute-resolution/resolve-cluster.js';
import type { NodeGroupSource } from '../attribute-resolution/resolve-node-group.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeGroupSpec } from '../node-group/node-group-spec.js';
import type { TemplateContents } from './template-rules.js';
import type { ClusterTemplateState, NodeGroupTemplateCreated } from './template-state.js';

type Named = { readonly id: string; readonly name: string };
type GroupTemplate = Named & Pick<NodeGroupTemplateCreated['data'], 'attributes' | 'immutableAttributes' | 'locked'>;
type Group = Named & { readonly spec: NodeGroupSpec };

/** Returns the marks that bind resources made from the template. Marks of the template's own source keep that source. */
function marks(ref: SourceRef, { immutableAttributes, locked }: Omit<TemplateContents<unknown>, 'attributes'>): Marks {
  return { ...Object.fromEntries(immutableAttributes.map(name => [name, ref])), ...locked };
}

/** Returns the node group template as a source, in its current state. */
export function sourceOfGroupTemplate({ id, name, ...contents }: GroupTemplate): NodeGroupSource {
  const ref: SourceRef = { type: 'nodeGroupTemplate', id, name };
  return { ref, attributes: contents.attributes, marks: marks(ref, contents) };
}

/** Returns the cluster template and its groups as a source. */
export function sourceOfClusterTemplate(
  { created, ...contents }: ClusterTemplateState,
  groups: readonly GroupTemplate[],
): ClusterSource {
  const ref: SourceRef = { type: 'clusterTemplate', id: created.id, name: created.name };
  const { attributes } = contents;
  return { ref, attributes, marks: marks(ref, contents), groups: groups.map(sourceOfGroupTemplate) };
}

/** Returns the full specification of a node group, in a cluster of this driver, as a source. */
export function sourceOfNodeGroup({ id, name, spec }: Group, driver: string | undefined): NodeGroupSource {
  const built = driver === undefined ? {} : { driver };
  return { ref: { type: 'nodeGroup', id, name }, attributes: spec, marks: {}, ...built };
}

/** Returns the cluster and these groups as a source, without the driver version. */
export function sourceOfCluster(
  { created, spec }: Pick<ClusterState, 'created' | 'spec'>,
  groups: readonly Group[],
): ClusterSource {
  const { driverVersion: _built, ...attributes } = spec;
  const ref: SourceRef = { type: 'cluster', id: created.id, name: created.name };
  return { ref, attributes, marks: {}, groups: groups.map(group => sourceOfNodeGroup(group, spec.driver)) };
}
