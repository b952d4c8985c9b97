import type { NodeDeclaration } from '../node/node-events.js';
import { buildSpecOf } from './node-group-changes.js';
import type { Member, NodeGroupState } from './node-group-state.js';

/** Returns the declaration of a node, with the specification that the group had when the node was added. */
export function declarationOf(group: NodeGroupState, member: Member): NodeDeclaration | undefined {
  const { declared, spec, builds, metadataGeneration } = group;
  if (!declared || !spec) return undefined;
  const { id, ordinal, zone, region, build, operationId } = member;
  const { role, labels, taints } = spec;
  const known = builds.find(b => b.build === build)?.spec ?? buildSpecOf(spec);
  const { flavor, image, dataVolumeGb, options } = known;
  return {
    id,
    nodeGroupId: declared.id,
    clusterId: declared.clusterId,
    projectId: declared.projectId,
    name: `${declared.name}-${ordinal}`,
    groupName: declared.name,
    ordinal,
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
    spec: {
      role,
      flavor,
      labels,
      taints,
      options,
      ...(image === null ? {} : { image }),
      ...(dataVolumeGb === null ? {} : { dataVolumeGb }),
    },
    operationId,
    ...(build === 0 ? {} : { build }),
    ...(metadataGeneration === 0 ? {} : { metadataGeneration }),
  };
}
