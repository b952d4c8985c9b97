import type { EventHandlers } from '../kernel/event-handlers.js';
import type { TaskEvent } from '../task/task-events.js';
import { evolveWork, wantTask } from '../task/task-state.js';
import type { ContainerState, ContainerTaskKind } from './container-state.js';

export function withTask(state: ContainerState, kind: ContainerTaskKind, operationId: string): ContainerState {
  const generation = state.generation + 1;
  const built = kind === 'container.create' || kind === 'container.delete' || state.builtGeneration > 0;
  const next = built ? kind : 'container.create';
  return { ...state, generation, work: wantTask(state.work, state.declared?.id ?? '', next, generation, operationId) };
}

/** Restores the contents from before an update that the node did not apply; labels exist only in Stave and stay changed. */
function withoutUpdate(state: ContainerState): ContainerState {
  const { previousContents, contents, ...rest } = state;
  const restored = previousContents && contents ? { ...previousContents, labels: contents.labels } : contents;
  return {
    ...rest,
    ...(restored ? { contents: restored } : {}),
    work: {},
    status: state.desired === 'stopped' ? 'STOPPED' : 'ACTIVE',
  };
}

const withWork = (state: ContainerState, event: TaskEvent<ContainerTaskKind>): ContainerState => ({
  ...state,
  work: evolveWork(state.work, event),
});

const isCurrent = ({ work }: ContainerState, { data }: TaskEvent<ContainerTaskKind>): boolean =>
  work.wanted?.taskId === data.taskId;

export const taskHandlers: EventHandlers<ContainerState, TaskEvent<ContainerTaskKind>> = {
  TaskClaimed: withWork,
  TaskProgressed: withWork,
  TaskReleased: withWork,
  TaskFailed: (state, event) => {
    const next = withWork(state, event);
    if (!isCurrent(state, event)) return next;
    const failed = { ...next, statusReason: event.data.message };
    if (event.data.retryAt) return failed;
    if (event.data.kind === 'container.update') return withoutUpdate(failed);
    return { ...failed, status: state.deleting ? 'DELETING' : 'FAILED' };
  },
  TaskCompleted: (state, event) => {
    const next = withWork(state, event);
    if (!isCurrent(state, event)) return next;
    const { observed: _outdated, previousContents: _replaced, ...done } = next;
    return event.data.kind === 'container.create' ? { ...done, builtGeneration: event.data.generation } : done;
  },
};
