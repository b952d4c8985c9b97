import { evolveWork, noWork, want, type Work } from '../task/task-state.js';
import type { TaskEvent } from '../task/task-events.js';
import type { NodeDeclaration, NodeEvent } from './node-events.js';

export type NodeTaskKind = 'node.create' | 'node.rebuild' | 'node.softReboot' | 'node.hardReboot' | 'node.delete';
export type NodeStatus =
  'CREATING' | 'ACTIVE' | 'UPDATING' | 'FAILED' | 'DRAINING' | 'REBOOTING' | 'UNREACHABLE' | 'DELETING';

export interface NodeResultState {
  readonly infrastructureId: string;
  readonly addresses: readonly string[];
  readonly engineVersion?: string;
  readonly capacity: { readonly cpus: number; readonly memoryMb: number };
}

export interface NodeState {
  readonly declared?: NodeDeclaration;
  readonly status: NodeStatus;
  readonly statusReason?: string;
  readonly schedulable: boolean;
  /** It was built once, so containers may be on it. */
  readonly wasActive: boolean;
  readonly drained: boolean;
  readonly drainDeadline?: string;
  readonly removing: boolean;
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

function evolveTask(state: NodeState, event: TaskEvent): NodeState {
  const before = state.work.wanted;
  const next: NodeState = { ...state, work: evolveWork(state.work, event) };
  if (before?.taskId !== event.data.taskId) return next;
  switch (event.type) {
    case 'TaskClaimed':
      return { ...next, attempts: event.data.attempt };
    case 'TaskFailed': {
      const { statusReason: _old, ...rest } = next;
      const failed = { ...rest, statusReason: event.data.message };
      return event.data.retryAt ? failed : { ...failed, status: state.removing ? 'DELETING' : 'FAILED' };
    }
    case 'TaskCompleted': {
      const built = before.kind === 'node.create' || before.kind === 'node.rebuild';
      return built ? { ...next, result: resultOf(event.data.result), builtGeneration: event.data.generation } : next;
    }
    default:
      return next;
  }
}

function resultOf(raw: Readonly<Record<string, unknown>>): NodeResultState {
  const capacity = raw['capacity'] as NodeResultState['capacity'] | undefined;
  return {
    infrastructureId: String(raw['infrastructureId'] ?? ''),
    addresses: Array.isArray(raw['addresses']) ? raw['addresses'].map(String) : [],
    ...(raw['engineVersion'] === undefined ? {} : { engineVersion: String(raw['engineVersion']) }),
    capacity: capacity ?? { cpus: 0, memoryMb: 0 },
  };
}

function withoutOperation(state: NodeState): NodeState {
  const { operation: _ended, ...rest } = state;
  return rest;
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
      return { ...s, schedulable: false, revision: s.revision + 1 };
    case 'NodeUncordoned':
      return { ...s, schedulable: true, drained: false, revision: s.revision + 1 };
    case 'NodeDrainRequested':
      return {
        ...s,
        schedulable: false,
        drained: false,
        status: 'DRAINING',
        revision: s.revision + 1,
        operation: { id: event.data.operation.id, kind: event.data.operation.kind },
        ...(event.data.deadline ? { drainDeadline: event.data.deadline } : {}),
      };
    case 'NodeDrained': {
      const drained: NodeState = { ...s, drained: true };
      if (!s.removing) return { ...drained, status: 'ACTIVE' };
      return wanting(drained, 'node.delete', s.operation?.id ?? '');
    }
    case 'NodeRemovalRequested': {
      const going: NodeState = {
        ...s,
        removing: true,
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
    case 'NodeRebootRequested': {
      const { operation } = event.data;
      const kind =
        event.type === 'NodeRebuildRequested'
          ? 'node.rebuild'
          : event.data.type === 'soft'
            ? 'node.softReboot'
            : 'node.hardReboot';
      const status: NodeStatus = kind === 'node.rebuild' ? 'UPDATING' : 'REBOOTING';
      return wanting(
        { ...s, status, revision: s.revision + 1, operation: { id: operation.id, kind: operation.kind } },
        kind,
        operation.id,
      );
    }
    case 'NodeTaskRetried': {
      const { wanted } = s.work;
      if (!wanted) return s;
      const { parked: _parked, ...rest } = wanted;
      return {
        ...s,
        work: { ...s.work, wanted: { ...rest, failures: 0 } },
        status: s.removing ? 'DELETING' : s.wasActive ? 'UPDATING' : 'CREATING',
      };
    }
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
