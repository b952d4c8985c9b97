import type { ResourceDocument } from '@stave/contracts';
import {
  countOutdated,
  fullUpdateStrategy,
  nodeBuildBlocker,
  nodeGroupStatusReason,
  omitUndefined,
  type NodeGroupState,
} from '@stave/domain';
import type { ModelDocument } from '@stave/service-kit';
import type { FleetProjection } from '../fleet/fleet.projection.js';

/** Returns the fields of a node group that follow from its own stream. Throws Error for a group that was never created. */
export function nodeGroupFields(state: NodeGroupState): ResourceDocument {
  const { declared, spec, status, createdAt, updatedAt, revision } = state;
  if (!declared || !spec) throw new Error('a node group that was never created has no document');
  const { id, name, clusterId, projectId } = declared;
  return omitUndefined({
    id,
    name,
    clusterId,
    projectId,
    ...spec,
    updateStrategy: fullUpdateStrategy(spec.updateStrategy),
    status,
    statusReason: nodeGroupStatusReason(state),
    createdAt,
    updatedAt,
    revision,
  });
}

/** Returns the position of the last event in the document of a node group: of the group, its nodes or its cluster. */
export function nodeGroupPosition(projection: FleetProjection, id: string): number {
  const entry = projection.groups.entry(id);
  const own = Math.max(entry?.position ?? -1, projection.nodesChangedAt(id));
  const { declared, deleted = false } = entry?.state ?? {};
  return declared && !deleted ? Math.max(own, projection.parentsChangedAt(declared.clusterId)) : own;
}

export function nodeGroupDocument(projection: FleetProjection, id: string): ModelDocument | undefined {
  const state = projection.groups.get(id);
  if (!state?.declared) return undefined;
  const position = nodeGroupPosition(projection, id);
  if (state.deleted) return { _id: id, deleted: true, position };
  return {
    _id: id,
    deleted: false,
    position,
    ...nodeGroupFields(state),
    ...blockedReason(projection, state),
    nodesReady: projection.readyIn(id),
    nodesTotal: state.members.size,
    nodesOutdated: countOutdated(state),
  };
}

/** A group that is being created shows why its cluster builds no nodes. */
function blockedReason({ clusters }: FleetProjection, { declared, status }: NodeGroupState): object {
  const cluster = status === 'CREATING' ? clusters.get(declared?.clusterId ?? '') : undefined;
  return omitUndefined({ statusReason: cluster && nodeBuildBlocker(cluster) });
}
