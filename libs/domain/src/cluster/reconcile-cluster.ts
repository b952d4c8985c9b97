import { listing } from '../kernel/listing.js';
import { operationEnded } from '../kernel/operation.js';
import type { NodeGroupState } from '../node-group/node-group-state.js';
import type { ClusterEvent } from './cluster-events.js';
import type { ClusterState } from './cluster-state.js';

/** What the cluster needs to know of one of its groups. */
export interface GroupView {
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly gaveUp: boolean;
  readonly deleted: boolean;
  /** For which it did last what it does. */
  readonly operationId?: string;
}

export function groupView({
  declared,
  status,
  statusReason,
  gaveUp,
  deleted,
  lastOperationId,
}: NodeGroupState): GroupView | undefined {
  if (!declared) return undefined;
  const reason = statusReason === undefined ? {} : { reason: statusReason };
  return { name: declared.name, status, gaveUp, deleted, operationId: lastOperationId, ...reason };
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

/** Going: emptied once nothing is left in it; given up once every group that is left was given up for the deletion that is open. */
function goingEvents(state: ClusterState, around: ClusterSurroundings): readonly ClusterEvent[] {
  if (state.emptied) return [];
  if (around.groupsGone && around.containersGone) return [{ type: 'ClusterEmptied', data: {} }];
  const left = around.groups.filter(g => !g.deleted);
  const deletion = state.operations.findLast(o => o.deletes);
  const over = left.every(g => g.gaveUp && (deletion === undefined || g.operationId === deletion.id));
  if (left.length === 0 || !over) return [];
  const reason = reasonOf(left);
  const told: ClusterEvent[] = state.statusReason === reason ? [] : [{ type: 'ClusterDegraded', data: { reason } }];
  const error = { code: 'removal-failed', detail: reason };
  return [...told, ...state.operations.map(o => operationEnded(o.id, 'FAILED', error))];
}

const reasonOf = (groups: readonly GroupView[]): string =>
  listing(groups.map(g => `node group ${g.name}: ${g.reason ?? 'degraded'}`));

/** The next events that follow from what its groups became; none when nothing changed. Level-triggered and idempotent. */
export function reconcileCluster(state: ClusterState, around: ClusterSurroundings): readonly ClusterEvent[] {
  if (!state.created || state.deleted) return [];
  if (state.deleting) return goingEvents(state, around);
  if (!state.built) return [];
  const firstMissing = state.created.groups.some(g => !around.group(g.id));
  const existing = around.groups.filter(g => !g.deleted);
  const bad = existing.filter(g => g.status === 'DEGRADED');
  const creation = state.operations.find(o => !o.deletes);
  if (bad.length > 0) {
    const reason = reasonOf(bad);
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
