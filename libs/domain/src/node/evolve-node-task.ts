import type { EventHandlers } from '../kernel/event-handlers.js';
import type { TaskCompleted, TaskEvent, TaskFailed } from '../task/task-events.js';
import { evolveWork, wantTask } from '../task/task-state.js';
import type { NodeState, NodeStatus, NodeTaskKind } from './node-state.js';

export function withTask(state: NodeState, kind: NodeTaskKind, operationId: string): NodeState {
  const generation = state.generation + 1;
  return { ...state, generation, work: wantTask(state.work, state.declared?.id ?? '', kind, generation, operationId) };
}

/** Returns the status of the node once its drain is over. */
export const settledStatus = ({ status }: NodeState): NodeStatus => (status === 'DRAINING' ? 'ACTIVE' : status);

/** Tasks that leave the node as it is when they fail. */
const isOptional = (kind: NodeTaskKind): boolean => kind === 'node.drain' || kind === 'node.undrain';

const withWork = (state: NodeState, event: TaskEvent<NodeTaskKind>): NodeState => ({
  ...state,
  work: evolveWork(state.work, event),
});

const isCurrent = ({ work }: NodeState, { data }: TaskEvent<NodeTaskKind>): boolean =>
  work.wanted?.taskId === data.taskId;

export const taskHandlers: EventHandlers<NodeState, TaskEvent<NodeTaskKind>> = {
  TaskClaimed: (state, event) => {
    const next = withWork(state, event);
    return isCurrent(state, event) ? { ...next, attempts: event.data.attempt } : next;
  },
  TaskProgressed: withWork,
  TaskReleased: withWork,
  TaskFailed: (state, event) => {
    const next = withWork(state, event);
    return isCurrent(state, event) ? failed(next, event.data) : next;
  },
  TaskCompleted: (state, event) => {
    const next = withWork(state, event);
    return isCurrent(state, event) ? completed(next, event.data) : next;
  },
};

function failed(state: NodeState, { kind, failure, message, retryAt }: TaskFailed<NodeTaskKind>['data']): NodeState {
  const next = { ...state, statusReason: message };
  if (retryAt) return next;
  if (kind === 'node.update') return updateFailed(state, failure, message);
  if (isOptional(kind)) return { ...next, work: {}, status: settledStatus(state) };
  return { ...next, status: state.removing ? 'DELETING' : 'FAILED' };
}

function completed(state: NodeState, task: TaskCompleted<NodeTaskKind>['data']): NodeState {
  const { kind, generation } = task;
  if (kind === 'node.update') return updatedInPlace(state);
  if (kind === 'node.drain') return state.drained ? { ...state, status: settledStatus(state) } : state;
  if (kind === 'node.softReboot' || kind === 'node.hardReboot') return withRolloutCompleted(state);
  if (task.kind !== 'node.create' && task.kind !== 'node.rebuild') return state;
  const { rebuilding, ...rest } = withRolloutCompleted(state);
  const built: NodeState = { ...rest, result: task.result, builtGeneration: generation, engineDrained: false };
  return rebuilding?.uncordonAfter ? { ...built, schedulable: true, drained: false } : built;
}

/** Any rebuild or reboot counts for the rollout, also one that was requested for another reason. */
const withRolloutCompleted = (state: NodeState): NodeState =>
  state.rollout ? { ...state, rollout: { ...state.rollout, done: true } } : state;

function updatedInPlace(state: NodeState): NodeState {
  const { updating, metadataUpdateFailure: _before, declared, ...rest } = state;
  if (!updating || !declared) return state;
  const { metadataGeneration, labels, taints } = updating;
  return { ...rest, declared: { ...declared, metadataGeneration, spec: { ...declared.spec, labels, taints } } };
}

/** Labels that the driver does not support exist only in Stave, which is not a failure. */
function updateFailed(state: NodeState, failure: TaskFailed['data']['failure'], reason: string): NodeState {
  if (failure === 'unsupported') return updatedInPlace({ ...state, work: {} });
  const { updating: _requested, ...rest } = state;
  return { ...rest, work: {}, metadataUpdateFailure: { operationId: state.work.wanted?.operationId ?? '', reason } };
}
