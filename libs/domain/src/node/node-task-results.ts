import type { TaskEvents } from '../task/task-state.js';
import type { NodeState, NodeStatus, NodeTaskKind } from './node-state.js';

/** Returns the status of a node that is not being drained any more. */
export const settledStatus = ({ status }: NodeState): NodeStatus => (status === 'DRAINING' ? 'ACTIVE' : status);

/** Counts any rebuild or reboot for the rollout, also one that was requested for another reason. */
const withRolloutCompleted = (state: NodeState): NodeState =>
  state.rollout ? { ...state, rollout: { ...state.rollout, done: true } } : state;

function updatedInPlace(state: NodeState): NodeState {
  const { updating, metadataUpdateFailure: _before, declared, ...rest } = state;
  if (!updating) return state;
  const { metadataGeneration, ...changed } = updating;
  return { ...rest, declared: { ...declared, metadataGeneration, spec: { ...declared.spec, ...changed } } };
}

/** Applies the failure of a task. Labels that the driver does not support exist only in Stave, which is not a failure. */
export function taskFailed(s: NodeState, { kind, failure, message, retryAt }: TaskEvents['TaskFailed']): NodeState {
  const next = { ...s, statusReason: message };
  if (retryAt) return next;
  if (kind === 'node.update') {
    if (failure === 'unsupported') return updatedInPlace({ ...next, work: {} });
    const { updating: _requested, ...rest } = next;
    const operationId = s.work.wanted?.operationId ?? '';
    return { ...rest, work: {}, metadataUpdateFailure: { operationId, reason: message } };
  }
  if (kind === 'node.drain' || kind === 'node.undrain') return { ...next, work: {}, status: settledStatus(s) };
  return { ...next, status: s.removing ? 'DELETING' : 'FAILED' };
}

/** Applies what a completed task has done. */
export function taskCompleted(s: NodeState, task: TaskEvents<NodeTaskKind>['TaskCompleted']): NodeState {
  switch (task.kind) {
    case 'node.update':
      return updatedInPlace(s);
    case 'node.drain':
      return s.drained ? { ...s, status: settledStatus(s) } : s;
    case 'node.softReboot':
    case 'node.hardReboot':
      return withRolloutCompleted(s);
    case 'node.create':
    case 'node.rebuild': {
      const before = withRolloutCompleted(s);
      const built = { result: task.result, builtGeneration: task.generation, engineDrained: false };
      if (!before.rebuilding) return { ...before, ...built };
      const { rebuilding, ...rest } = before;
      return { ...rest, ...built, ...(rebuilding.uncordonAfter && { schedulable: true, drained: false }) };
    }
    default:
      return s;
  }
}
