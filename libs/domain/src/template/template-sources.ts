import type { Marks, SourceRef } from '../attribute-resolution/layers.js';
import type { ClusterSource } from '../attribute-resolution/resolve-cluster.js';
import type { NodeGroupSource } from '../attribute-resolution/resolve-node-group.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeGroupSpec } from '../node-group/node-group-spec.js';
import type { NodeGroupTemplateCreated, TemplateContents } from './template-events.js';
import type { ClusterTemplateState, NodeGroupTemplateState } from './template-state.js';

type Named = { readonly id: string; readonly name: string };
type GroupTemplate = Named & Pick<NodeGroupTemplateCreated['data'], 'attributes' | 'immutableAttributes' | 'locked'>;
type Group = Named & { readonly spec: NodeGroupSpec };

/** What the process that is made from the template is bound to. A mark that it has from its own source stays that source's. */
function marks(ref: SourceRef, { immutableAttributes, locked }: Omit<TemplateContents<unknown>, 'attributes'>): Marks {
  return { ...Object.fromEntries(immutableAttributes.map(name => [name, ref])), ...locked };
}

/** What a node group template as it is now gives. */
export function sourceOfGroupTemplate({ id, name, ...contents }: GroupTemplate): NodeGroupSource {
  const ref: SourceRef = { type: 'nodeGroupTemplate', id, name };
  return { ref, attributes: contents.attributes, marks: marks(ref, contents) };
}

/** As it is now, with its name and id; undefined for what was never made. */
export function groupTemplateNow(state: NodeGroupTemplateState): GroupTemplate | undefined {
  const { created, attributes, immutableAttributes, locked } = state;
  return created && { id: created.id, name: created.name, attributes, immutableAttributes, locked };
}

/** What a cluster template as it is now gives, with the groups inside it; undefined for what was never made. */
export function sourceOfClusterTemplate(
  { created, ...contents }: ClusterTemplateState,
  groups: readonly GroupTemplate[],
): ClusterSource | undefined {
  if (!created) return undefined;
  const ref: SourceRef = { type: 'clusterTemplate', id: created.id, name: created.name };
  const { attributes } = contents;
  return { ref, attributes, marks: marks(ref, contents), groups: groups.map(sourceOfGroupTemplate) };
}

/** What a node group of a cluster of this driver gives: its full specification. */
export function sourceOfNodeGroup({ id, name, spec }: Group, driver: string | undefined): NodeGroupSource {
  const built = driver === undefined ? {} : { driver };
  return { ref: { type: 'nodeGroup', id, name }, attributes: spec, marks: {}, ...built };
}

/** What a cluster as it is now gives, with these groups; all but its driver's version. Undefined for what was never made. */
export function sourceOfCluster(
  { created, spec }: Pick<ClusterState, 'created' | 'spec'>,
  groups: readonly Group[],
): ClusterSource | undefined {
  if (!created || !spec) return undefined;
  const { driverVersion: _built, ...attributes } = spec;
  const ref: SourceRef = { type: 'cluster', id: created.id, name: created.name };
  return { ref, attributes, marks: {}, groups: groups.map(group => sourceOfNodeGroup(group, spec.driver)) };
}
