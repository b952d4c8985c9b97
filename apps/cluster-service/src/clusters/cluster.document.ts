import type { ResourceDocument } from '@stave/contracts';
import { clusterHealth, shownStatus, type ClusterState } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { ClusterProjection } from './cluster.projection.js';

const healthOf = (status: string): string =>
  status === 'ACTIVE' ? 'HEALTHY' : status === 'DEGRADED' || status === 'FAILED' ? 'UNHEALTHY' : 'UNKNOWN';

/** The fields of a cluster that follow from its own stream. */
export function clusterFields(state: ClusterState): Record<string, unknown> {
  const { created, spec } = state;
  if (!created || !spec) return {};
  return {
    id: created.id,
    name: created.name,
    projectId: created.projectId,
    ...spec,
    status: shownStatus(state),
    ...(state.statusReason === undefined ? {} : { statusReason: state.statusReason }),
    health: healthOf(state.status),
    healthReasons: state.statusReason === undefined ? [] : [state.statusReason],
    endpoints: state.endpoints,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

/** As commands answer with it. */
export const shownCluster = (state: ClusterState): ResourceDocument => clusterFields(state) as ResourceDocument;

export function clusterDocument(
  projection: ClusterProjection,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = projection.clusters.entry(id);
  if (!entry?.state.created) return undefined;
  const nodeCounts = projection.nodeCounts(id);
  const position = Math.max(entry.position, projection.latestChildPosition(id));
  if (entry.state.deleted) return { _id: id, deleted: true, position };
  const health = clusterHealth(entry.state, projection.surroundings(id).groups, nodeCounts);
  return { _id: id, deleted: false, position, ...clusterFields(entry.state), ...health, nodeCounts };
}
