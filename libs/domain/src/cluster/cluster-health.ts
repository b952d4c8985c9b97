import { summarizeList } from '../kernel/listing.js';
import { MASS_LOSS_SUSPECTED } from '../kernel/observation.js';
import type { ClusterState } from './cluster-state.js';
import { CONTAINERS_MISSING, type GroupView } from './reconcile-cluster.js';

/** The number of nodes of a cluster: in total, ready, by status, and by role. */
export interface NodeCounts {
  readonly total: number;
  readonly ready: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byRole: Readonly<Record<string, { readonly total: number; readonly ready: number }>>;
}

interface ClusterHealth {
  readonly health: 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN';
  readonly healthReasons: readonly string[];
}

const BAD = ['FAILED', 'UNREACHABLE'];

function nodeReason(status: string, count: number): string {
  return count === 1 ? `1 node is ${status}` : `${count} nodes are ${status}`;
}

/**
 * Returns the health of a cluster with its problems: its own failure, degraded node groups, and failed or unreachable nodes. UNKNOWN
 * while the cluster is being created or deleted.
 */
export function clusterHealth(
  { status, statusReason, deleting, containersMissing }: ClusterState,
  groups: readonly GroupView[],
  { byStatus }: NodeCounts,
): ClusterHealth {
  const degraded = groups
    .filter(group => !group.deleted && group.status === 'DEGRADED')
    .map(group => summarizeList([`node group ${group.name}: ${group.reason ?? 'degraded'}`]));
  const nodes = BAD.flatMap(bad => (byStatus[bad] ? [nodeReason(bad, byStatus[bad])] : []));
  const reported = status === 'FAILED' || deleting || degraded.length === 0;
  const own = reported && statusReason !== undefined ? [statusReason] : [];
  const missing = containersMissing && own.length === 0 ? [`${MASS_LOSS_SUSPECTED}: ${CONTAINERS_MISSING}`] : [];
  const healthReasons = [...own, ...degraded, ...missing, ...nodes];
  if (deleting) return { health: 'UNKNOWN', healthReasons };
  const ill = status === 'FAILED' || status === 'DEGRADED' || degraded.length + nodes.length > 0;
  if (ill) return { health: 'UNHEALTHY', healthReasons };
  return { health: status === 'CREATING' ? 'UNKNOWN' : 'HEALTHY', healthReasons };
}
