import type { OperationStart } from '../kernel/operation.js';
import { evolveWork, noWork, unpark, want, type Work } from '../task/task-state.js';
import type { TaskEvent } from '../task/task-events.js';
import type { NodeDeclaration, NodeEvent, NodeTaskRetried } from './node-events.js';
import { resultOf, type NodeResultState } from './node-result.js';

export type NodeTaskKind =
  | 'node.create'
  | 'node.rebuild'
  | 'node.softReboot'
  | 'node.hardReboot'
  | 'node.drain'
  | 'node.undrain'
  | 'node.delete';
export type NodeStatus =
  'CREATING' | 'ACTIVE' | 'UPDATING' | 'FAILED' | 'DRAINING' | 'REBOOTING' | 'UNREACHABLE' | 'DELETING';

export interface NodeState {
  readonly declared?: NodeDeclaration;
  readonly status: NodeStatus;
  readonly statusReason?: string;
  readonly schedulable: boolean;
  /** It was built once, so containers may be on it. */
  readonly wasActive: boolean;
  readonly drained: boolean;
  readonly drainDeadline?: string;
  /** The driver was asked to do its own part of a drain, and not yet to undo it. */
  readonly engineDrained: boolean;
  /** It is to be rebuilt; with `reopens` it takes containers again afterwards. */
  readonly rebuilding?: { readonly operationId: string; readonly reopens: boolean };
  readonly removing: boolean;
  /** The operation for which its group asked for its removal last. */
  readonly removalOf?: string;
  readonly deleted: boolean;
  readonly generation: number;
  /** The generation whose building was completed last; 0 before the first. A reboot builds nothing. */
  readonly builtGeneration: number;
  /** Accepted changes of a person or its group. */
  readonly revision: number;
  readonly work: Work<NodeTaskKind>;
  readonly result?: NodeResultState;
  readonly attempts: number;
  /** The operation that changes this node now, if it is the node's own. */
  readonly operation?: { readonly id: string; readonly kind: string };
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialNode: NodeState = {
  status: 'CREATING',
  schedulable: true,
  wasActive: false,
  drained: false,
  engineDrained: false,
  removing: false,
  deleted: false,
  generation: 0,
  builtGeneration: 0,
  revision: 0,
  work: noWork,
  attempts: 0,
  createdAt: '',
  updatedAt: '',
};

function wanting(state: NodeState, kind: NodeTaskKind, operationId: string): NodeState {
  const generation = state.generation + 1;
  return { ...state, generation, work: want(state.work, state.declared?.id ?? '', kind, generation, operationId) };
}

/** Why its containers shall leave now; undefined when they may stay. */
export function eviction(state: NodeState): 'removed' | 'rebuilt' | 'drained' | undefined {
  if (!state.wasActive || state.deleted) return undefined;
  if (state.removing) return 'removed';
  if (state.drained) return undefined;
  if (state.rebuilding) return 'rebuilt';
  return state.status === 'DRAINING' ? 'drained' : undefined;
}

/** The driver's part of a drain and its undoing: the node stands whatever becomes of them. */
const isHook = (kind: NodeTaskKind): boolean => kind === 'node.drain' || kind === 'node.undrain';

function evolveTask(state: NodeState, event: TaskEvent): NodeState {
  const before = state.work.wanted;
  const next: NodeState = { ...state, work: evolveWork(state.work, event) };
  if (before?.taskId !== event.data.taskId) return next;
  switch (event.type) {
    case 'TaskClaimed':
      return { ...next, attempts: event.data.attempt };
    case 'TaskFailed': {
      const failed = { ...next, statusReason: event.data.message };
      if (event.data.retryAt) return failed;
      if (isHook(before.kind)) return { ...failed, work: {}, status: settledStatus(state) };
      return { ...failed, status: state.removing ? 'DELETING' : 'FAILED' };
    }
    case 'TaskCompleted':
      return completed(next, before.kind, event.data);
    default:
      return next;
  }
}

function completed(
  state: NodeState,
  kind: NodeTaskKind,
  { generation, result }: { readonly generation: number; readonly result: Readonly<Record<string, unknown>> },
): NodeState {
  if (kind === 'node.drain') return state.drained ? { ...state, status: settledStatus(state) } : state;
  if (kind !== 'node.create' && kind !== 'node.rebuild') return state;
  const { rebuilding, ...rest } = state;
  const built: NodeState = { ...rest, result: resultOf(result), builtGeneration: generation, engineDrained: false };
  return rebuilding?.reopens ? { ...built, schedulable: true, drained: false } : built;
}

const settledStatus = ({ status }: NodeState): NodeStatus => (status === 'DRAINING' ? 'ACTIVE' : status);

function withoutOperation(state: NodeState): NodeState {
  const { operation: _ended, ...rest } = state;
  return rest;
}

/** What a person says of a node that is being rebuilt counts once it stands again. */
const reopening = ({ rebuilding }: NodeState, reopens: boolean): Pick<NodeState, 'rebuilding'> =>
  rebuilding ? { rebuilding: { ...rebuilding, reopens } } : {};

function uncordoned(state: NodeState): NodeState {
  if (state.rebuilding) return { ...state, ...reopening(state, true) };
  const { claim } = state.work;
  const open: NodeState = { ...state, schedulable: true, drained: false, status: settledStatus(state) };
  if (!state.engineDrained) return open;
  return wanting({ ...open, engineDrained: false, work: claim ? { claim } : {} }, 'node.undrain', '');
}

/** What never stood has no containers: it is built at once. */
function rebuilt(state: NodeState, { id, kind }: OperationStart): NodeState {
  const { claim } = state.work;
  const rebuilding = { operationId: id, reopens: state.schedulable || (state.rebuilding?.reopens ?? false) };
  const going: NodeState = {
    ...state,
    status: 'UPDATING',
    revision: state.revision + 1,
    operation: { id, kind },
    schedulable: false,
    drained: false,
    rebuilding,
  };
  return state.wasActive ? { ...going, work: claim ? { claim } : {} } : wanting(going, 'node.rebuild', id);
}

function retried(state: NodeState, { operation, operationId }: NodeTaskRetried['data']): NodeState {
  const forGroup = operationId === undefined ? undefined : { id: operationId, kind: 'node.delete' };
  const own = operation ? { id: operation.id, kind: operation.kind } : forGroup;
  return {
    ...state,
    work: unpark(state.work, own?.id),
    ...(own ? { operation: own } : {}),
    ...(operationId === undefined ? {} : { removalOf: operationId }),
    status: state.removing ? 'DELETING' : state.wasActive ? 'UPDATING' : 'CREATING',
  };
}

export function evolveNode(state: NodeState, event: NodeEvent, time: string): NodeState {
  const s: NodeState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'NodeDeclared':
      return wanting(
        { ...s, declared: event.data, createdAt: time, revision: 1 },
        'node.create',
        event.data.operationId,
      );
    case 'NodeBecameActive': {
      const { statusReason: _reason, ...rest } = s;
      return { ...rest, status: 'ACTIVE', wasActive: true };
    }
    case 'NodeCordoned':
      return { ...s, ...reopening(s, false), schedulable: false, revision: s.revision + 1 };
    case 'NodeUncordoned':
      return uncordoned({ ...s, revision: s.revision + 1 });
    case 'NodeDrainRequested': {
      const { operation, deadline } = event.data;
      const { drainDeadline: _before, statusReason: _reason, ...rest } = s;
      const draining: NodeState = {
        ...rest,
        schedulable: false,
        drained: false,
        engineDrained: true,
        status: 'DRAINING',
        revision: s.revision + 1,
        operation: { id: operation.id, kind: operation.kind },
        ...(deadline ? { drainDeadline: deadline } : {}),
      };
      return wanting(draining, 'node.drain', operation.id);
    }
    case 'NodeDrainStopped': {
      const { claim } = s.work;
      const left: NodeState = { ...s, status: settledStatus(s), statusReason: event.data.reason };
      return s.work.wanted?.kind === 'node.drain' ? { ...left, work: claim ? { claim } : {} } : left;
    }
    case 'NodeDrained': {
      const drained: NodeState = { ...s, drained: true };
      if (s.removing) return wanting(drained, 'node.delete', s.operation?.id ?? '');
      if (s.rebuilding) return wanting(drained, 'node.rebuild', s.rebuilding.operationId);
      return s.work.wanted?.kind === 'node.drain' ? drained : { ...drained, status: settledStatus(s) };
    }
    case 'NodeRemovalRequested': {
      const going: NodeState = {
        ...s,
        removing: true,
        removalOf: event.data.operationId,
        schedulable: false,
        status: 'DELETING',
        statusReason: event.data.reason,
        revision: s.revision + 1,
        operation: { id: event.data.operationId, kind: 'node.delete' },
      };
      const work: Work<NodeTaskKind> = going.work.claim ? { claim: going.work.claim } : {};
      return going.wasActive
        ? { ...going, drained: false, work }
        : wanting({ ...going, drained: true }, 'node.delete', event.data.operationId);
    }
    case 'NodeRebuildRequested':
      return rebuilt(s, event.data.operation);
    case 'NodeRebootRequested': {
      const { operation, type } = event.data;
      const own = { id: operation.id, kind: operation.kind };
      const rebooting: NodeState = { ...s, status: 'REBOOTING', revision: s.revision + 1, operation: own };
      return wanting(rebooting, type === 'soft' ? 'node.softReboot' : 'node.hardReboot', operation.id);
    }
    case 'NodeTaskRetried':
      return s.work.wanted ? retried(s, event.data) : s;
    case 'NodeBecameUnreachable':
      return { ...s, status: 'UNREACHABLE', statusReason: event.data.reason };
    case 'NodeDeleted':
      return { ...s, deleted: true, work: {} };
    case 'OperationEnded':
      return s.operation?.id === event.data.operationId ? withoutOperation(s) : s;
    default:
      return evolveTask(s, event);
  }
}
