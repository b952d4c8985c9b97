import type { ResourceDocument } from '@stave/contracts';
import { nodeBuildBlocker, omitUndefined, type NodeState } from '@stave/domain';
import type { ModelDocument } from '@stave/service-kit';
import type { FleetProjection } from '../fleet/fleet.projection.js';

/** Returns the fields of a node that follow from its own stream. Throws Error for a node that was never declared. */
export function nodeFields(state: NodeState): ResourceDocument {
  const { declared, result, status, statusReason, attempts, generation, createdAt, updatedAt, revision } = state;
  if (!declared) throw new Error('a node that was never declared has no document');
  const { id, name, nodeGroupId, clusterId, projectId, ordinal, zone, region, spec } = declared;
  const { role, flavor, image, labels, taints } = spec;
  return omitUndefined({
    id,
    name,
    nodeGroupId,
    clusterId,
    projectId,
    ordinal,
    zone,
    region,
    role,
    flavor,
    image,
    labels,
    taints,
    addresses: result?.addresses ?? [],
    infrastructureId: result?.infrastructureId,
    capacity: result?.capacity,
    engineVersion: result?.engineVersion,
    status,
    statusReason,
    schedulable: state.schedulable && !state.removing,
    attempts,
    generation,
    createdAt,
    updatedAt,
    revision,
  });
}

/** Returns the position of the last event in the document of a node: of the node and, until it is deleted, of its group or cluster. */
export function nodePosition(projection: FleetProjection, id: string): number {
  const entry = projection.nodes.entry(id);
  if (!entry) return -1;
  const { declared, deleted } = entry.state;
  if (!declared || deleted) return entry.position;
  return Math.max(entry.position, projection.parentsChangedAt(declared.clusterId, declared.nodeGroupId));
}

export function nodeDocument(projection: FleetProjection, id: string): ModelDocument | undefined {
  const state = projection.nodes.get(id);
  const declared = state?.declared;
  if (!declared) return undefined;
  const position = nodePosition(projection, id);
  if (state.deleted) return { _id: id, deleted: true, position };
  const group = projection.groups.get(declared.nodeGroupId)?.spec;
  const cluster = projection.clusters.get(declared.clusterId);
  const { labels, taints } = group ?? declared.spec;
  const conductorGroup = group?.conductorGroup ?? cluster?.spec?.conductorGroup ?? '';
  const isWaiting = state.status === 'CREATING' && state.attempts === 0;
  const blocked = omitUndefined({ statusReason: cluster && isWaiting ? nodeBuildBlocker(cluster) : undefined });
  return { _id: id, deleted: false, position, ...nodeFields(state), ...blocked, labels, taints, conductorGroup };
}
