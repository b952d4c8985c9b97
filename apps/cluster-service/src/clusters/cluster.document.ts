import type { ResourceDocument } from '@stave/contracts';
import { clusterHealth, omitUndefined, shownStatus, type ClusterState } from '@stave/domain';
import type { ClusterProjection } from './cluster.projection.js';

const healthOf = (status: string): string =>
  status === 'ACTIVE' ? 'HEALTHY' : status === 'DEGRADED' || status === 'FAILED' ? 'UNHEALTHY' : 'UNKNOWN';

/** Returns the fields of a cluster that follow from its own stream. */
export function clusterFields(state: ClusterState): ResourceDocument {
  const { created, spec, statusReason, endpoints, createdAt, updatedAt, revision } = state;
  const { id, name, projectId } = created;
  return omitUndefined({
    id,
    name,
    projectId,
    ...spec,
    status: shownStatus(state),
    statusReason,
    health: healthOf(state.status),
    healthReasons: statusReason === undefined ? [] : [statusReason],
    endpoints,
    createdAt,
    updatedAt,
    revision,
  });
}

export function clusterDocument(projection: ClusterProjection, state: ClusterState): ResourceDocument {
  const { id } = state.created;
  const nodeCounts = projection.nodeCounts(id);
  const health = clusterHealth(state, projection.surroundings(id).groups, nodeCounts);
  return { ...clusterFields(state), ...health, nodeCounts };
}
