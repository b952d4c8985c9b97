import type { ResourceDocument } from '@stave/contracts';
import { clusterHealth, shownStatus, type ClusterState } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { ClusterModels } from './cluster-models.js';

const healthOf = (status: string): string =>
  status === 'ACTIVE' ? 'HEALTHY' : status === 'DEGRADED' || status === 'FAILED' ? 'UNHEALTHY' : 'UNKNOWN';

/** What clients see of a cluster that its own events say. */
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
  models: ClusterModels,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = models.clusters.entry(id);
  if (!entry?.state.created) return undefined;
  const nodeCounts = models.nodeCounts(id);
  const position = Math.max(entry.position, models.latestChildPosition(id));
  if (entry.state.deleted) return { _id: id, deleted: true, position };
  const health = clusterHealth(entry.state, models.surroundings(id).groups, nodeCounts);
  return { _id: id, deleted: false, position, ...clusterFields(entry.state), ...health, nodeCounts };
}
