import { operationEnded } from '../kernel/operation.js';
import type { ClusterEvent } from './cluster-events.js';
import type { ClusterState } from './cluster-state.js';

/** What the cluster needs to know of one of its groups. */
export interface GroupView {
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly gaveUp: boolean;
  readonly deleted: boolean;
}

export interface ClusterSurroundings {
  /** A group by id; undefined while it does not exist yet. */
  readonly group: (id: string) => GroupView | undefined;
  /** Every group that exists in the cluster now. */
  readonly groups: readonly GroupView[];
  /** The registry of its groups is closed and empty. */
  readonly groupsGone: boolean;
  /** The scheduler has closed it and no container is left. */
  readonly containersGone: boolean;
}

/** The next events that follow from what its groups became; none when nothing changed. Level-triggered and idempotent. */
export function reconcileCluster(state: ClusterState, around: ClusterSurroundings): readonly ClusterEvent[] {
  if (!state.created || state.deleted) return [];
  if (state.deleting)
    return around.groupsGone && around.containersGone && !state.emptied ? [{ type: 'ClusterEmptied', data: {} }] : [];
  if (!state.built) return [];
  const firstMissing = state.created.groups.some(g => !around.group(g.id));
  const existing = around.groups.filter(g => !g.deleted);
  const bad = existing.filter(g => g.status === 'DEGRADED');
  const creation = state.operations.find(o => o.kind === 'cluster.create');
  if (bad.length > 0) {
    const reason = bad.map(g => `node group ${g.name}: ${g.reason ?? 'degraded'}`).join('; ');
    const told: ClusterEvent[] =
      state.status === 'DEGRADED' && state.statusReason === reason
        ? []
        : [{ type: 'ClusterDegraded', data: { reason } }];
    const hopeless = creation && bad.some(g => g.gaveUp);
    return hopeless
      ? [...told, operationEnded(creation.id, 'FAILED', { code: 'node-group-degraded', detail: reason })]
      : told;
  }
  const whole = !firstMissing && existing.every(g => g.status !== 'CREATING');
  if (!whole) return [];
  const active: ClusterEvent[] = state.status === 'ACTIVE' ? [] : [{ type: 'ClusterBecameActive', data: {} }];
  return creation ? [...active, operationEnded(creation.id, 'SUCCEEDED')] : active;
}
