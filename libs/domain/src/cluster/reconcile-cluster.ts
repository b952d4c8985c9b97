import type { AbandonedResource } from '../kernel/abandoned.js';
import { hasCondition } from '../kernel/condition.js';
import { summarizeList } from '../kernel/listing.js';
import { operationEnded } from '../kernel/operation.js';
import { groupRolloutProgress } from '../node-group/group-operations.js';
import { nodeGroupStatusReason, type NodeGroupState } from '../node-group/node-group-state.js';
import type { ClusterEvent } from './cluster-events.js';
import { rolloutEndEvents, type GroupRolloutProgress } from './cluster-rollout.js';
import { updateFailure, type ClusterState } from './cluster-state.js';

/** What the cluster needs to know of one of its groups. */
export interface GroupView {
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly failed: boolean;
  /** It stopped before it would do what was not planned. */
  readonly planDeviated?: boolean;
  readonly deleted: boolean;
  /** For which it did last what it does. */
  readonly operationId?: string;
  /** How far it is with what its cluster wanted done to all nodes last. */
  readonly rollout?: GroupRolloutProgress;
}

export function groupView(group: NodeGroupState): GroupView | undefined {
  const { declared, status, deleted, lastOperationId } = group;
  const statusReason = nodeGroupStatusReason(group);
  if (!declared) return undefined;
  const reason = statusReason === undefined ? {} : { reason: statusReason };
  const rollout = groupRolloutProgress(group);
  return {
    name: declared.name,
    status,
    failed: hasCondition(group, 'Failed'),
    planDeviated: hasCondition(group, 'PlanDeviated'),
    deleted,
    operationId: lastOperationId,
    ...reason,
    ...(rollout ? { rollout } : {}),
  };
}

export interface ClusterReconcileInput {
  /** A group by id; undefined while it does not exist yet. */
  readonly group: (id: string) => GroupView | undefined;
  /** Every group that exists in the cluster now. */
  readonly groups: readonly GroupView[];
  /** The registry of its groups is closed and empty. */
  readonly groupsRemoved: boolean;
  /** The scheduler has closed it and no container is left. */
  readonly containersRemoved: boolean;
  /** Nodes that were left on the infrastructure explicitly. */
  readonly abandoned?: readonly AbandonedResource[];
}

/** Going: emptied once nothing is left in it; failed permanently once every group that is left failed permanently for the deletion that is open. */
function deletionEvents(state: ClusterState, around: ClusterReconcileInput): readonly ClusterEvent[] {
  if (state.emptied) return [];
  if (around.groupsRemoved && around.containersRemoved) {
    const { abandoned = [] } = around;
    return [{ type: 'ClusterEmptied', data: abandoned.length > 0 ? { abandoned } : {} }];
  }
  const left = around.groups.filter(g => !g.deleted);
  const deletion = state.operations.findLast(o => o.deletes);
  const over = left.every(g => g.failed && (deletion === undefined || g.operationId === deletion.id));
  if (left.length === 0 || !over) return [];
  const reason = reasonOf(left);
  const reported: ClusterEvent[] = state.statusReason === reason ? [] : [{ type: 'ClusterDegraded', data: { reason } }];
  const error = { code: 'removal-failed', detail: reason };
  return [...reported, ...state.operations.map(o => operationEnded(o.id, 'FAILED', error))];
}

const reasonOf = (groups: readonly GroupView[]): string =>
  summarizeList(groups.map(g => `node group ${g.name}: ${g.reason ?? 'degraded'}`));

/** Reported once per reason. */
const degraded = ({ status, statusReason }: ClusterState, reason: string): readonly ClusterEvent[] =>
  status === 'DEGRADED' && statusReason === reason ? [] : [{ type: 'ClusterDegraded', data: { reason } }];

/** Operations that are over when the cluster is complete: its creation, a retry; not what is a task's or goes node by node. */
const waitingForAll = ({ operations, rollout, work }: ClusterState): ClusterState['operations'] =>
  operations.filter(
    ({ id, kind, deletes }) =>
      !deletes && kind !== 'cluster.update' && id !== rollout?.operationId && id !== work.wanted?.operationId,
  );

/**
 * The next events that follow from what its groups became; none when nothing changed, and none while it is paused. Level-triggered and
 * idempotent.
 */
export function reconcileCluster(state: ClusterState, around: ClusterReconcileInput): readonly ClusterEvent[] {
  if (!state.created || state.deleted) return [];
  if (state.deleting) return deletionEvents(state, around);
  if (!state.built || state.paused) return [];
  const existing = around.groups.filter(g => !g.deleted);
  const rolled = rolloutEndEvents(
    state,
    existing.filter(g => g.status !== 'DELETING'),
  );
  return [...statusEvents(state, existing, around), ...rolled];
}

function statusEvents(
  state: ClusterState,
  existing: readonly GroupView[],
  { group }: ClusterReconcileInput,
): readonly ClusterEvent[] {
  const bad = existing.filter(g => g.status === 'DEGRADED');
  const failure = updateFailure(state);
  const waiting = waitingForAll(state);
  if (bad.length > 0) {
    const reason = failure === undefined ? reasonOf(bad) : `${failure}; ${reasonOf(bad)}`;
    const hopeless = bad.some(g => g.failed) ? waiting : [];
    const error = { code: bad.some(g => g.planDeviated) ? 'plan-deviated' : 'node-group-degraded', detail: reason };
    return [...degraded(state, reason), ...hopeless.map(o => operationEnded(o.id, 'FAILED', error))];
  }
  if (failure !== undefined) return degraded(state, failure);
  const firstMissing = state.created?.groups.some(g => !group(g.id));
  if (firstMissing || existing.some(g => g.status === 'CREATING')) return [];
  const active: ClusterEvent[] = state.status === 'ACTIVE' ? [] : [{ type: 'ClusterBecameActive', data: {} }];
  return [...active, ...waiting.map(o => operationEnded(o.id, 'SUCCEEDED'))];
}
