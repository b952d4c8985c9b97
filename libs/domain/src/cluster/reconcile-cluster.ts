import { hasCondition } from '../kernel/condition.js';
import { omitUndefined } from '../kernel/json.js';
import { summarizeList } from '../kernel/listing.js';
import { MASS_LOSS_SUSPECTED } from '../kernel/observation.js';
import { operationEnded, type AbandonedResource } from '../kernel/operation.js';
import { groupRolloutProgress } from '../node-group/group-operations.js';
import { hasLossSuspected, nodeGroupStatusReason, type NodeGroupState } from '../node-group/node-group-state.js';
import type { ClusterEvent } from './cluster-events.js';
import { rolloutEndEvents, type GroupRolloutProgress } from './cluster-rollout.js';
import { updateFailure, type ClusterState } from './cluster-state.js';

/** The view that a cluster has of one of its groups. */
export interface GroupView {
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly failed: boolean;
  /** Nodes of the group are missing, and their loss is not accepted. */
  readonly lossSuspected?: boolean;
  /** The group stopped because the next step was not planned. */
  readonly planDeviated?: boolean;
  readonly deleted: boolean;
  /** The latest operation of the group. */
  readonly operationId?: string;
  /** The progress of the group in the last rollout of its cluster. */
  readonly rollout?: GroupRolloutProgress;
}

export function groupView(group: NodeGroupState): GroupView {
  const { declared, status, deleted, lastOperationId: operationId } = group;
  return {
    name: declared.name,
    status,
    failed: hasCondition(group, 'Failed'),
    lossSuspected: hasLossSuspected(group),
    planDeviated: hasCondition(group, 'PlanDeviated'),
    deleted,
    operationId,
    ...omitUndefined({ reason: nodeGroupStatusReason(group), rollout: groupRolloutProgress(group) }),
  };
}

export interface ClusterReconcileInput {
  /** Returns a group by id; undefined before it exists. */
  readonly group: (id: string) => GroupView | undefined;
  /** The existing groups of the cluster. */
  readonly groups: readonly GroupView[];
  /** The registry of the groups is closed and empty. */
  readonly groupsRemoved: boolean;
  /** The scheduler has closed the cluster and no container is left. */
  readonly containersRemoved: boolean;
  /** Containers are missing, and their loss is not accepted. */
  readonly containersMissing?: boolean;
  /** Nodes that were explicitly left on the infrastructure. */
  readonly abandoned?: readonly AbandonedResource[];
}

/**
 * Returns the next events of a deletion. The cluster is emptied once nothing is left in it; the deletion fails once every remaining
 * group failed permanently for it.
 */
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

/** Without a number, since containers are reported one after the other: the containers themselves show it. */
export const CONTAINERS_MISSING =
  'containers are missing; nothing is built again before they are seen again or the loss is accepted';

const reasonOf = (groups: readonly GroupView[]): string =>
  summarizeList(groups.map(g => `node group ${g.name}: ${g.reason ?? 'degraded'}`));

/** Returns why the cluster is degraded; undefined where it is not. The code of a suspected loss is first, and once. */
function degradedReason(
  state: ClusterState,
  bad: readonly GroupView[],
  containersMissing: boolean,
): string | undefined {
  const isSuspected = containersMissing || bad.some(g => g.lossSuspected);
  const code = `${MASS_LOSS_SUSPECTED}: `;
  const groups = bad.map(g => (g.reason?.startsWith(code) ? { ...g, reason: g.reason.slice(code.length) } : g));
  const failure = updateFailure(state);
  const parts = [
    ...(containersMissing ? [CONTAINERS_MISSING] : []),
    ...(failure === undefined ? [] : [failure]),
    ...(groups.length > 0 ? [reasonOf(groups)] : []),
  ];
  return parts.length === 0 ? undefined : `${isSuspected ? code : ''}${parts.join('; ')}`;
}

/** Returns the code of what keeps the cluster from becoming complete: a failed group, else its own last task. */
function failureCode({ work }: ClusterState, bad: readonly GroupView[]): string {
  if (bad.some(g => g.planDeviated)) return 'plan-deviated';
  const { lastError } = work.wanted ?? {};
  if (bad.length > 0 || !lastError) return 'node-group-degraded';
  return lastError.code ?? lastError.failure;
}

function degraded({ status, statusReason }: ClusterState, reason: string, missing: boolean): readonly ClusterEvent[] {
  if (status === 'DEGRADED' && statusReason === reason) return [];
  return [{ type: 'ClusterDegraded', data: { reason, ...(missing ? { containersMissing: true } : {}) } }];
}

/** Returns the operations that end when the cluster is complete: creations and retries, not operations of a task or a rollout. */
const waitingForAll = ({ operations, rollout, work }: ClusterState): ClusterState['operations'] =>
  operations.filter(
    ({ id, kind, deletes }) =>
      !deletes && kind !== 'cluster.update' && id !== rollout?.operationId && id !== work.wanted?.operationId,
  );

/**
 * Returns the next events that follow from the state of the groups; none when nothing changed or the cluster is paused. Level-triggered
 * and idempotent.
 */
export function reconcileCluster(state: ClusterState, around: ClusterReconcileInput): readonly ClusterEvent[] {
  if (state.deleted) return [];
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
  { group, containersMissing = false }: ClusterReconcileInput,
): readonly ClusterEvent[] {
  const bad = existing.filter(g => g.status === 'DEGRADED');
  const reason = degradedReason(state, bad, containersMissing);
  const waiting = waitingForAll(state);
  const firstMissing = state.created.groups.some(g => !group(g.id));
  const isGrowing = firstMissing || existing.some(g => g.status === 'CREATING');
  if (reason !== undefined) {
    const isHopeless = bad.some(g => g.failed) || (updateFailure(state) !== undefined && !isGrowing);
    const error = { code: failureCode(state, bad), detail: reason };
    const ended = isHopeless ? waiting.map(o => operationEnded(o.id, 'FAILED', error)) : [];
    return [...degraded(state, reason, containersMissing), ...ended];
  }
  if (isGrowing) return [];
  const active: ClusterEvent[] = state.status === 'ACTIVE' ? [] : [{ type: 'ClusterBecameActive', data: {} }];
  return [...active, ...waiting.map(o => operationEnded(o.id, 'SUCCEEDED'))];
}
