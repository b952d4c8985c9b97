import type { ResourceDocument } from '@stave/contracts';
import {
  isOpenNode,
  nodeBuildBlocker,
  omitUndefined,
  shownRelease,
  statusUntilReleased,
  type NodeState,
} from '@stave/domain';
import type { FleetProjection } from '../fleet/fleet.projection.js';

/** Returns the fields of a node that follow from its own stream. */
export function nodeFields(state: NodeState): ResourceDocument {
  const { declared, machineId, result, release, attempts, generation, createdAt, updatedAt, revision } = state;
  const waits = release && shownRelease(release);
  const statusReason = release ? `it waits for its release until ${release.until}` : state.statusReason;
  const { id, name, nodeGroupId, clusterId, projectId, ordinal, zone, region, spec } = declared;
  const { role, flavor, image, volumes, labels, taints } = spec;
  return omitUndefined({
    id,
    name,
    nodeGroupId,
    clusterId,
    projectId,
    ordinal,
    zone,
    region,
    machineId,
    role,
    flavor,
    image,
    volumes,
    labels,
    taints,
    addresses: result?.addresses ?? [],
    infrastructureId: result?.infrastructureId,
    capacity: result?.capacity,
    engineVersion: result?.engineVersion,
    status: statusUntilReleased(state),
    statusReason,
    release: waits,
    schedulable: isOpenNode(state),
    attempts,
    generation,
    createdAt,
    updatedAt,
    revision,
  });
}

export function nodeDocument({ groups, clusters }: FleetProjection, state: NodeState): ResourceDocument {
  const { declared, status, attempts } = state;
  const group = groups.get(declared.nodeGroupId)?.spec;
  const cluster = clusters.get(declared.clusterId);
  const conductorGroup = group?.conductorGroup ?? cluster?.spec.conductorGroup ?? '';
  const isWaiting = status === 'CREATING' && attempts === 0;
  const blocked = omitUndefined({ statusReason: cluster && isWaiting ? nodeBuildBlocker(cluster) : undefined });
  const metadata = group && { labels: group.labels, taints: group.taints };
  return { ...nodeFields(state), ...blocked, ...metadata, conductorGroup };
}
