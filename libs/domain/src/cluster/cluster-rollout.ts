import type { ClusterEvents } from './cluster-events.js';
import type { EventOf } from '../kernel/decider.js';
import { summarizeList } from '../kernel/listing.js';
import { operationEnded, type OperationEnded } from '../kernel/operation.js';
import type { NodeRolloutKind } from '../node-group/node-group-state.js';
import type { ClusterRollout, ClusterState } from './cluster-state.js';

/** The progress of a node group in the last rollout that its cluster started. */
export interface GroupRolloutProgress {
  readonly operationId: string;
  readonly status: 'in-progress' | 'completed' | 'failed' | 'cancelled';
  readonly reason?: string;
  /** The group failed because the next step was not planned. */
  readonly planDeviated?: boolean;
}

export interface RollingGroup {
  readonly id: string;
  readonly name: string;
  readonly role: 'manager' | 'worker';
  readonly createdAt: string;
  readonly rollout?: GroupRolloutProgress;
}

export const nodeRolloutKindOf = ({ kind, type }: ClusterRollout): NodeRolloutKind =>
  kind !== 'reboot' ? 'rebuild' : type === 'hard' ? 'hardReboot' : 'softReboot';

/**
 * Returns the rollout that groups may start now, one after the other; undefined while none may start or the shared infrastructure is
 * updated first.
 */
export function runnableRollout(state: ClusterState): ClusterRollout | undefined {
  const { rollout, work } = state;
  if (!rollout || state.paused || state.deleting || isCancelled(state)) return undefined;
  return work.wanted?.operationId === rollout.operationId ? undefined : rollout;
}

export const isCancelled = ({ rollout, operations }: ClusterState): boolean =>
  operations.some(o => o.id === rollout?.operationId && o.cancelled === true);

/** Returns the next group to start: managers first, then the oldest; none while another group is in progress or has failed. */
export function nextGroupToRollOut<G extends RollingGroup>(
  groups: readonly G[],
  { operationId }: ClusterRollout,
): G | undefined {
  const stops = groups.some(g => g.rollout?.operationId === operationId && g.rollout.status !== 'completed');
  if (stops) return undefined;
  return groups.filter(g => g.rollout?.operationId !== operationId).sort(inOrder)[0];
}

const inOrder = (a: RollingGroup, b: RollingGroup): number =>
  Number(b.role === 'manager') - Number(a.role === 'manager') ||
  a.createdAt.localeCompare(b.createdAt) ||
  a.id.localeCompare(b.id);

type Rolled = readonly { readonly name: string; readonly rollout?: GroupRolloutProgress }[];

/**
 * Returns the events that end the rollout, once every group has completed it or one failed permanently or was stopped. Rebuilt nodes
 * may change the endpoints of the cluster.
 */
export function rolloutEndEvents(
  state: ClusterState,
  groups: Rolled,
): readonly (OperationEnded | EventOf<ClusterEvents, 'ClusterNodesRebuilt'>)[] {
  const ended = rolloutOperationEnd(state, groups);
  const { kind, operationId } = state.rollout ?? {};
  const rebuilt = kind !== 'reboot' && groups.some(g => g.rollout?.operationId === operationId);
  return ended.length > 0 && rebuilt ? [{ type: 'ClusterNodesRebuilt', data: {} }, ...ended] : ended;
}

function rolloutOperationEnd(state: ClusterState, groups: Rolled): readonly OperationEnded[] {
  const { rollout, work } = state;
  if (!rollout || work.wanted?.operationId === rollout.operationId) return [];
  const { operationId } = rollout;
  const reported = groups.map(({ name, rollout: own }) => ({ name, ...(own?.operationId === operationId ? own : {}) }));
  if (reported.some(g => g.status === 'in-progress')) return [];
  const failed = reported.filter(g => g.status === 'failed');
  const stopped = isCancelled(state);
  // a group that was stopped although the rollout was not runs a newer rollout of its own
  const done = reported.filter(g => g.status === 'completed' || (g.status === 'cancelled' && !stopped)).length;
  if (failed.length > 0) {
    const detail = summarizeList(failed.map(g => `node group ${g.name}: ${g.reason ?? 'failed'}`));
    const code = failed.some(g => g.planDeviated) ? 'plan-deviated' : 'node-group-degraded';
    return [operationEnded(operationId, 'FAILED', { code, detail })];
  }
  if (done === groups.length) return [operationEnded(operationId, 'SUCCEEDED')];
  if (!stopped) return [];
  const detail = `${done} of ${groups.length} node groups were done`;
  return [operationEnded(operationId, 'CANCELLED', { code: 'cancelled', detail })];
}
