import type { OperationStart } from '../kernel/operation.js';
import { awaitsTurn, countedMembers, isOutdated, outdatedMembers, withDisplaced } from './group-membership.js';
import { changedGroupSpec, withBuild, type NodeGroupChanges } from './node-group-changes.js';
import type { NodeGroupUpdated } from './node-group-events.js';
import type { GroupOperation, NodeGroupState, Sweep, TurnKind } from './node-group-state.js';

/** An operation that goes through the group step by step is under way. */
export const isStepping = ({ operations }: NodeGroupState): boolean => operations.some(o => o.nodes !== undefined);

/** How many nodes a rolling replacement and the round through the group have still to go through, halted or not. */
export function nodesLeft(state: NodeGroupState): number {
  const { sweep } = state;
  return countedMembers(state).filter(m => isOutdated(state, m) || (sweep && awaitsTurn(sweep, m))).length;
}

export function started(state: NodeGroupState, operation: GroupOperation | undefined): NodeGroupState {
  if (!operation) return state;
  const { id, kind, countBefore, nodes, nodeId } = operation;
  const fresh = {
    id,
    kind,
    ...(countBefore === undefined ? {} : { countBefore }),
    ...(nodes === undefined ? {} : { nodes }),
    ...(nodeId === undefined ? {} : { nodeId }),
  };
  return { ...state, operations: [...state.operations, fresh], lastOperationId: id };
}

/** Nobody is replaced, rebuilt or restarted any more, until a person asks for it. */
export function halted(state: NodeGroupState): NodeGroupState {
  const { sweep } = state;
  return { ...state, rolloutHalted: true, ...(sweep ? { sweep: { ...sweep, halted: true } } : {}) };
}

/** A later change of the count is not undone by cancelling an earlier one. */
export function cancelled(state: NodeGroupState, operationId: string): NodeGroupState {
  const operations = state.operations.map(o => (o.id === operationId ? { ...o, cancelled: true } : o));
  const own = operations.find(o => o.id === operationId);
  const next = { ...state, operations };
  const stopped = own?.nodes === undefined ? next : halted(next);
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
export function swept(state: NodeGroupState, operation: OperationStart, kind: TurnKind): NodeGroupState {
  const sweep: Sweep = { id: operation.id, kind, before: state.nextOrdinal, halted: false };
  return started({ ...state, sweep }, { ...operation, nodes: countedMembers(state).length });
}

export function retried(state: NodeGroupState, operation: OperationStart): NodeGroupState {
  const { sweep } = state;
  const going = { ...state, rolloutHalted: false, ...(sweep ? { sweep: { ...sweep, halted: false } } : {}) };
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
  const rolls = (changesBuild(changes) || changes.zones !== undefined) && outdatedMembers(next).length > 0;
  if (!rolls && changes.count === undefined) return started({ ...next, revision: state.revision + 1 }, operation);
  const { sweep: _over, ...others } = changed(next);
  const going: NodeGroupState = rolls ? { ...others, rolloutHalted: false } : changed(next);
  const countBefore = changes.count === undefined ? {} : { countBefore: state.spec.count };
  const nodes = rolls ? { nodes: nodesLeft(going) } : {};
  return started(going, operation && { ...operation, ...nodes, ...countBefore });
}
