import { summarizeList } from '../kernel/listing.js';
import { operationEnded, type OperationEnded } from '../kernel/operation.js';
import type { NodeRolloutKind } from '../node-group/node-group-state.js';
import type { ClusterNodesRebuilt } from './cluster-events.js';
import type { ClusterRollout, ClusterState } from './cluster-state.js';

/** How far a group is with what its cluster wants done to all nodes. */
export interface GroupRolloutProgress {
  readonly operationId: string;
  readonly status: 'in-progress' | 'completed' | 'failed' | 'cancelled';
  readonly reason?: string;
  /** It failed because it would have to do what was not planned. */
  readonly planDeviated?: boolean;
}

export interface RollingGroup {
  readonly id: string;
  readonly name: string;
  readonly role: 'manager' | 'worker';
  readonly createdAt: string;
  readonly rollout?: GroupRolloutProgress;
}

/** What each node goes through. */
export const nodeRolloutKindOf = ({ kind, type }: ClusterRollout): NodeRolloutKind =>
  kind !== 'reboot' ? 'rebuild' : type === 'hard' ? 'hardReboot' : 'softReboot';

/** What groups shall begin now, one after the other; undefined while nothing may be, or while the shared parts come first. */
export function runnableRollout(state: ClusterState): ClusterRollout | undefined {
  const { rollout, work } = state;
  if (!rollout || state.paused || state.deleting || isCancelled(state)) return undefined;
  return work.wanted?.operationId === rollout.operationId ? undefined : rollout;
}

export const isCancelled = ({ rollout, operations }: ClusterState): boolean =>
  operations.some(o => o.id === rollout?.operationId && o.cancelled === true);

/** The group that is to begin: managers first, the oldest first, and none while another is at it or has failed. */
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

/** The end of the rollout, once every group is through, or one failed permanently or was stopped; none before. Nodes built again may be elsewhere. */
export function rolloutEndEvents(
  state: ClusterState,
  groups: Rolled,
): readonly (OperationEnded | ClusterNodesRebuilt)[] {
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
  // a group that was stopped though the rollout was not does something newer with all its nodes
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
