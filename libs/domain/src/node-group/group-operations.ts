import type { GroupRollout } from '../cluster/cluster-rollout.js';
import type { OperationStart } from '../kernel/operation.js';
import { awaitsTurn, countedMembers, isOutdated, withDisplaced } from './group-membership.js';
import { countMissing, takesOver } from './group-takeover.js';
import { changedGroupSpec, withBuild, type NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupRebuildRequested, NodeGroupUpdated } from './node-group-events.js';
import type { GroupOperation, Member, NodeGroupState, Sweep, TurnKind } from './node-group-state.js';

/** How far the group is with its last round of rebuilds or restarts; the step under way comes to its end first. */
export function groupRollout({ sweep, status, statusReason, gaveUp, held }: NodeGroupState): GroupRollout | undefined {
  if (!sweep) return undefined;
  const ending = sweep.status === 'cancelled' && status !== 'ACTIVE' && !gaveUp;
  const reason = sweep.status === 'failed' && statusReason !== undefined ? { reason: statusReason } : {};
  return { operationId: sweep.id, status: ending ? 'under-way' : sweep.status, held, ...reason };
}

/** How many nodes a rolling replacement and the round through the group have still to go through, halted or not. */
export function nodesLeft(state: NodeGroupState): number {
  const { sweep, members } = state;
  const outdated = (m: Member | undefined): boolean => m !== undefined && !m.leaving && isOutdated(state, m);
  const onTurn = (m: Member): boolean => sweep !== undefined && sweep.status !== 'done' && awaitsTurn(sweep, m);
  return countedMembers(state).filter(m => outdated(m) || outdated(members.get(m.replaces ?? '')) || onTurn(m)).length;
}

export function started(state: NodeGroupState, operation: GroupOperation | undefined): NodeGroupState {
  if (!operation) return state;
  const { id, kind, countBefore, nodes, nodeId, planned } = operation;
  const fresh = {
    id,
    kind,
    ...(countBefore === undefined ? {} : { countBefore }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(planned ? { planned } : {}),
  };
  return { ...state, operations: [...state.operations, fresh], lastOperationId: id };
}

/** Nobody is replaced, rebuilt or restarted any more, until a person asks for it. */
export function halted(state: NodeGroupState, why: 'failed' | 'cancelled'): NodeGroupState {
  return { ...withSweep(state, why), rolloutHalted: true };
}

/** How the round that is under way has ended. */
export function withSweep(state: NodeGroupState, status: Sweep['status']): NodeGroupState {
  const { sweep } = state;
  return sweep?.status === 'under-way' ? { ...state, sweep: { ...sweep, status } } : state;
}

/** A later change of the count is not undone by cancelling an earlier one. */
export function cancelled(state: NodeGroupState, operationId: string): NodeGroupState {
  const operations = state.operations.map(o => (o.id === operationId ? { ...o, cancelled: true } : o));
  const own = operations.find(o => o.id === operationId);
  const next = { ...state, operations };
  const steps = own?.nodes !== undefined || (!own && state.sweep?.id === operationId);
  const stopped = steps ? halted(next, 'cancelled') : next;
  const { countBefore } = own ?? {};
  const undo = countBefore !== undefined && state.lastOperationId === operationId;
  return undo ? withCount(stopped, countBefore) : stopped;
}

/** Who has to move is seen anew only while somebody has to: unevenness by failures is nobody's wish to move. */
export function withCount(state: NodeGroupState, count: number): NodeGroupState {
  if (!state.spec) return state;
  const next = { ...state, spec: { ...state.spec, count } };
  return [...state.members.values()].some(m => m.displaced) ? withDisplaced(next) : next;
}

/** A round through all nodes that are there now takes the place of an earlier one. */
export function swept(
  state: NodeGroupState,
  { operationId, operation, planned }: NodeGroupRebuildRequested['data'],
  kind: TurnKind,
): NodeGroupState {
  const sweep: Sweep = { id: operationId, kind, before: state.nextOrdinal, status: 'under-way' };
  const nodes = countedMembers(state).length;
  const next = { ...state, sweep, lastOperationId: operationId, ...(planned ? { planned } : {}) };
  return started(next, operation && { ...operation, nodes });
}

export function retried(state: NodeGroupState, operation: OperationStart): NodeGroupState {
  const { sweep } = state;
  const again = sweep && sweep.status !== 'done' ? { sweep: { ...sweep, status: 'under-way' as const } } : {};
  const going: NodeGroupState = { ...state, rolloutHalted: false, ...again };
  return started(going, { ...operation, nodes: nodesLeft(state) });
}

const changesBuild = (changes: NodeGroupChanges): boolean =>
  changes.flavor !== undefined ||
  changes.image !== undefined ||
  changes.dataVolumeGb !== undefined ||
  changes.options !== undefined;

/** New nodes are built from it from now on; a round through the group ends where nodes are replaced anyway. */
export function updated(
  state: NodeGroupState,
  { changes, operation }: NodeGroupUpdated['data'],
  changed: (state: NodeGroupState) => NodeGroupState,
): NodeGroupState {
  if (!state.spec) return { ...state, revision: state.revision + 1 };
  const spec = changedGroupSpec(state.spec, changes);
  const tagged = changes.labels !== undefined || changes.taints !== undefined;
  const builds = changesBuild(changes) ? withBuild(state.builds, spec) : state.builds;
  const plain: NodeGroupState = { ...state, spec, builds, tags: state.tags + (tagged ? 1 : 0) };
  const next = changes.zones === undefined ? withCount(plain, spec.count) : withDisplaced(plain);
  const rolls = takesOver(state, next, changes);
  if (!rolls && changes.count === undefined) return started({ ...next, revision: state.revision + 1 }, operation);
  const { sweep: _over, ...others } = changed(next);
  const going: NodeGroupState = rolls ? { ...others, rolloutHalted: false } : changed(next);
  const countBefore = changes.count === undefined ? {} : { countBefore: state.spec.count };
  const nodes = rolls ? { nodes: Math.max(nodesLeft(going), countMissing(state)) } : {};
  return started(going, operation && { ...operation, ...nodes, ...countBefore });
}
