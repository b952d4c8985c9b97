import type { ResourceDocument } from '@stave/contracts';
import {
  countOutdated,
  fullUpdateStrategy,
  getOrCreate,
  nodeBuildBlocker,
  nodeGroupStatusReason,
  omitUndefined,
  type NodeGroupState,
} from '@stave/domain';
import type { FleetProjection } from '../fleet/fleet.projection.js';

/** Returns the fields of a node group that follow from its own stream. */
export function nodeGroupFields(state: NodeGroupState): ResourceDocument {
  const { declared, spec, status, createdAt, updatedAt, revision } = state;
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

/** Counted once for each state: events of nodes change the document, and not the state of the group. */
const outdated = new WeakMap<NodeGroupState, number>();

export function nodeGroupDocument(projection: FleetProjection, state: NodeGroupState): ResourceDocument {
  return {
    ...nodeGroupFields(state),
    ...blockedReason(projection, state),
    nodesReady: projection.readyIn(state.declared.id),
    nodesTotal: state.members.size,
    nodesOutdated: getOrCreate(outdated, state, () => countOutdated(state)),
  };
}

/** A group that is being created shows why its cluster builds no nodes. */
function blockedReason({ clusters }: FleetProjection, { declared, status }: NodeGroupState): object {
  const cluster = status === 'CREATING' ? clusters.get(declared.clusterId) : undefined;
  return omitUndefined({ statusReason: cluster && nodeBuildBlocker(cluster) });
}
