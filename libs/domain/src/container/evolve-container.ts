import type { UnitObservation } from '../health/observation.js';
import { evolveByType, type EventHandlers } from '../kernel/event-handlers.js';
import { omitUndefined } from '../kernel/omit-undefined.js';
import { cancelOperation, endOperation, type OperationStart } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import { resetRetries } from '../task/task-state.js';
import type { ContainerEvent, ContainerUpdated } from './container-events.js';
import { initialContainer, type ContainerState } from './container-state.js';
import { placementHandlers, withoutPlace, withoutReason } from './evolve-container-placement.js';
import { taskHandlers, withTask } from './evolve-container-task.js';

type Handlers = EventHandlers<ContainerState, ContainerEvent>;

function withOperation(state: ContainerState, operation: OperationStart | undefined): ContainerState {
  if (!operation) return state;
  const { id, kind } = operation;
  const deletes = state.deleting ? { deletes: true } : {};
  return { ...state, revision: state.revision + 1, operations: [...state.operations, { id, kind, ...deletes }] };
}

/** A process that exited on its own with code 0 has done its work: the container is stopped and has not failed. */
function observed(state: ContainerState, observation: UnitObservation): ContainerState {
  const s = { ...withoutReason(state), observed: observation };
  const code = observation.exitCode;
  if (observation.state === 'running') return { ...s, status: 'ACTIVE' };
  if (observation.state === 'missing')
    return { ...s, status: 'FAILED', statusReason: 'it is not on its node any more', builtGeneration: 0 };
  if (s.desired === 'stopped') return { ...s, status: 'STOPPED' };
  const statusReason = code === undefined ? 'it does not run any more' : `it ended with exit code ${code}`;
  return { ...s, status: code === 0 ? 'STOPPED' : 'FAILED', statusReason };
}

function updated(state: ContainerState, data: ContainerUpdated['data']): ContainerState {
  const { labels, resources, restartPolicy, operation } = data;
  const { contents } = state;
  if (!contents) return state;
  const changes = { labels, ...omitUndefined({ resources, restartPolicy }) };
  const changed: ContainerState = { ...state, contents: { ...contents, ...changes } };
  if (!operation) return { ...changed, revision: state.revision + 1 };
  const requested = withOperation(changed, operation);
  if (state.builtGeneration === 0) return requested;
  return withTask({ ...requested, status: 'UPDATING', previousContents: contents }, 'container.update', operation.id);
}

const ACTIONS = {
  start: { desired: 'running', restarts: 0 },
  stop: { desired: 'stopped', restarts: 0 },
  restart: { desired: 'running', restarts: 1 },
} as const;

function withAction(
  s: ContainerState,
  action: keyof typeof ACTIONS,
  operation: OperationStart | undefined,
): ContainerState {
  const { desired, restarts } = ACTIONS[action];
  const requested = withOperation(withoutReason(s), operation);
  const changed: ContainerState = { ...requested, status: 'UPDATING', desired, restarts: s.restarts + restarts };
  return withTask(changed, `container.${action}`, operation?.id ?? '');
}

const lifecycleHandlers = {
  ContainerCreated: (s, { data }, time) =>
    withOperation({ ...s, declared: data, contents: data.contents, createdAt: time }, data.operation),
  ContainerBecameActive: (s, { data: { address } }) => ({
    ...withoutReason(s),
    status: 'ACTIVE',
    recentlyRejectedBy: {},
    ...omitUndefined({ address }),
  }),
  ContainerObserved: (s, { data }) => observed(s, data),
  ContainerStopped: s => ({ ...withoutReason(s), status: 'STOPPED' }),
  ContainerDeleted: s => ({ ...withoutPlace(s), deleted: true, work: {} }),
  OperationEnded: endOperation,
} satisfies Partial<Handlers>;

const requestHandlers = {
  ContainerStartRequested: (s, { data }) => withAction(s, 'start', data.operation),
  ContainerRestartRequested: (s, { data }) => withAction(s, 'restart', data.operation),
  ContainerStopRequested: (s, { data }) => withAction(s, 'stop', data.operation),
  ContainerUpdated: (s, { data }) => updated(s, data),
  ContainerDeletionRequested: (s, { data: { operation, operationId, reason } }) => {
    const revision = s.revision + 1;
    const deleting = withOperation({ ...s, deleting: true, status: 'DELETING', statusReason: reason }, operation);
    return s.nodeId === undefined
      ? { ...deleting, revision }
      : withTask({ ...deleting, revision }, 'container.delete', operationId);
  },
  ContainerTaskRetried: (s, { data: { operation } }) => {
    const begun = s.work.wanted?.kind === 'container.create' ? 'CREATING' : 'UPDATING';
    return {
      ...withOperation(s, operation),
      work: resetRetries(s.work, operation.id),
      status: s.deleting ? 'DELETING' : begun,
    };
  },
  OperationCancelRequested: cancelOperation,
} satisfies Partial<Handlers>;

export const containerStream: StreamDefinition<ContainerState, ContainerEvent> = {
  category: 'container',
  initial: initialContainer,
  evolve: evolveByType<ContainerState, ContainerEvent>({
    ...lifecycleHandlers,
    ...placementHandlers,
    ...requestHandlers,
    ...taskHandlers,
  }),
};
