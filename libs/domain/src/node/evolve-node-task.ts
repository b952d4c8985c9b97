import type { TaskCompleted, TaskEvent, TaskFailed } from '../task/task-events.js';
import { evolveWork, wantTask } from '../task/task-state.js';
import type { NodeState, NodeStatus, NodeTaskKind } from './node-state.js';

/** It wants this of a conductor from now on, as a change of its own. */
export function withTask(state: NodeState, kind: NodeTaskKind, operationId: string): NodeState {
  const generation = state.generation + 1;
  return { ...state, generation, work: wantTask(state.work, state.declared?.id ?? '', kind, generation, operationId) };
}

export const settledStatus = ({ status }: NodeState): NodeStatus => (status === 'DRAINING' ? 'ACTIVE' : status);

/** The driver's part of a drain and its undoing, and what changes in place: the node exists whatever becomes of them. */
const isHook = (kind: NodeTaskKind): boolean =>
  kind === 'node.drain' || kind === 'node.undrain' || kind === 'node.update';

/** What became of a task means this for its node. */
export function evolveTask(state: NodeState, event: TaskEvent<NodeTaskKind>): NodeState {
  const before = state.work.wanted;
  const next: NodeState = { ...state, work: evolveWork(state.work, event) };
  if (before?.taskId !== event.data.taskId) return next;
  switch (event.type) {
    case 'TaskClaimed':
      return { ...next, attempts: event.data.attempt };
    case 'TaskFailed': {
      const failed = { ...next, statusReason: event.data.message };
      if (event.data.retryAt) return failed;
      if (before.kind === 'node.update') return updateFailed(state, event.data, before.operationId);
      if (isHook(before.kind)) return { ...failed, work: {}, status: settledStatus(state) };
      return { ...failed, status: state.removing ? 'DELETING' : 'FAILED' };
    }
    case 'TaskCompleted':
      return completed(next, event.data);
    default:
      return next;
  }
}

function completed(state: NodeState, task: TaskCompleted<NodeTaskKind>['data']): NodeState {
  const { kind, generation } = task;
  if (kind === 'node.update') return updatedInPlace(state);
  if (kind === 'node.drain') return state.drained ? { ...state, status: settledStatus(state) } : state;
  if (kind === 'node.softReboot' || kind === 'node.hardReboot') return withRolloutCompleted(state);
  if (task.kind !== 'node.create' && task.kind !== 'node.rebuild') return state;
  const { rebuilding, ...rest } = withRolloutCompleted(state);
  const built: NodeState = {
    ...rest,
    result: task.result,
    builtGeneration: generation,
    engineDrained: false,
  };
  return rebuilding?.uncordonAfter ? { ...built, schedulable: true, drained: false } : built;
}

/** Whatever rebuilt or restarted it. */
const withRolloutCompleted = (state: NodeState): NodeState =>
  state.rollout ? { ...state, rollout: { ...state.rollout, done: true } } : state;

function updatedInPlace(state: NodeState): NodeState {
  const { updating, metadataUpdateFailure: _before, declared, ...rest } = state;
  if (!updating || !declared) return state;
  const { metadataGeneration, labels, taints } = updating;
  return { ...rest, declared: { ...declared, metadataGeneration, spec: { ...declared.spec, labels, taints } } };
}

/** What its driver cannot do at all is kept here alone; that is no failure. */
function updateFailed(
  state: NodeState,
  { failure, message: reason }: TaskFailed['data'],
  operationId: string,
): NodeState {
  const { updating: _asked, ...rest } = state;
  const over: NodeState = { ...rest, work: {} };
  if (failure === 'unsupported') return updatedInPlace({ ...state, work: {} });
  return { ...over, metadataUpdateFailure: { operationId, reason } };
}
