import { omitUndefined } from '../kernel/json.js';
import { cancelOperation, endOperation, type OperationStart } from '../kernel/operation.js';
import { defineResourceStream, type EventHandlers } from '../kernel/stream-definition.js';
import { noWork, resetRetries, taskHandlers, withNextTask } from '../task/task-state.js';
import type { ContainerDeclaration, ContainerEvent, ContainerEvents } from './container-events.js';
import { isBuilt, LONGEST_REJECTION, type ContainerState, type ContainerTaskKind } from './container-state.js';

type Handlers = EventHandlers<ContainerState, ContainerEvent>;

/** Wants the task, which ends a suspicion; a container that does not exist on its node is created instead. */
function withTask(state: ContainerState, kind: ContainerTaskKind, operationId: string): ContainerState {
  const exists = kind === 'container.delete' || isBuilt(state);
  const { suspectedLoss: _decided, ...rest } = state;
  const decided: ContainerState = rest;
  return withNextTask(decided, state.declared.id, exists ? kind : 'container.create', operationId);
}

function withoutReason(state: ContainerState): ContainerState {
  const { statusReason: _reason, unschedulable: _why, ...rest } = state;
  return rest;
}

function withoutHealth(state: ContainerState): ContainerState {
  const { health: _ended, ...rest } = state;
  return rest;
}

function withoutNode(state: ContainerState): ContainerState {
  const { nodeId: _node, placement: _placement, address: _address, attached: _given, ...unplaced } = state;
  const { evictionReason: _evicted, graceSeconds: _stopped, observed: _seen, health: _health, ...rest } = unplaced;
  return { ...rest, builtGeneration: 0 };
}

/** Restores the contents from before an update that the node did not apply; labels exist only in Stave and stay changed. */
function withoutUpdate(state: ContainerState): ContainerState {
  const { previousContents, contents, ...rest } = state;
  const restored = { ...(previousContents ?? contents), labels: contents.labels };
  return { ...rest, contents: restored, work: {}, status: state.desired === 'stopped' ? 'STOPPED' : 'ACTIVE' };
}

const creationId = ({ operations, declared }: ContainerState): string =>
  operations.find(o => o.kind === 'container.create')?.id ?? declared.operationId ?? '';

const placementHandlers = {
  ContainerPlaced: (s, { data: { nodeId, explanation, attached } }, at) => {
    const placed = {
      ...withoutReason(s),
      nodeId,
      ...omitUndefined({ attached }),
      placement: { ...explanation, nodeId, at },
    };
    return withTask({ ...placed, status: 'CREATING' }, 'container.create', creationId(s));
  },
  ContainerUnschedulable: (s, { data }) => ({
    ...s,
    status: 'UNSCHEDULABLE',
    statusReason: data.reason,
    unschedulable: data,
  }),
  ContainerNodeLost: (s, { data }) => ({
    ...withoutReason(s),
    status: 'FAILED',
    statusReason: data.reason,
    nodeLost: true,
  }),
  ContainerEvictionRequested: (s, { data }, at) => {
    const { reason, nodeId, insufficientResources, missingPlugin, operation, graceSeconds } = data;
    const before = missingPlugin ? LONGEST_REJECTION - 1 : (s.recentlyRejectedBy[nodeId]?.times ?? 0);
    const times = before + 1;
    const isPassedOver = insufficientResources ?? missingPlugin ?? operation !== undefined;
    const why = missingPlugin ? ('plugin' as const) : operation && ('moved' as const);
    const rejection = isPassedOver ? { [nodeId]: { times, since: at, ...omitUndefined({ why }) } } : {};
    const recentlyRejectedBy = { ...s.recentlyRejectedBy, ...rejection };
    const evicting = { statusReason: reason, evictionReason: reason, ...omitUndefined({ graceSeconds }) };
    const evicted = { ...s, ...evicting, recentlyRejectedBy };
    const leaving = withOperation({ ...evicted, status: 'UPDATING' }, operation);
    return withTask(leaving, 'container.delete', operation?.id ?? creationId(s));
  },
  ContainerRemovedFromNode: (s, { data }) => ({
    ...withoutNode(s),
    work: {},
    status: 'CREATING',
    statusReason: data.reason,
  }),
} satisfies Partial<Handlers>;

function withOperation(state: ContainerState, operation: OperationStart | undefined): ContainerState {
  if (!operation) return state;
  const { id, kind } = operation;
  const deletes = state.deleting ? { deletes: true } : {};
  return { ...state, revision: state.revision + 1, operations: [...state.operations, { id, kind, ...deletes }] };
}

/** Applies an observation. A process that exited on its own with code 0 has done its work: the container is stopped and has not failed. */
function observed(
  state: ContainerState,
  observation: ContainerEvents['ContainerObserved'],
  at: string,
): ContainerState {
  const isRunning = observation.state === 'running';
  const { suspectedLoss: _seen, ...rest } = withoutReason(isRunning ? state : withoutHealth(state));
  const s = { ...rest, observed: observation };
  const code = observation.exitCode;
  if (isRunning) return { ...s, status: 'ACTIVE', ...(state.status === 'ACTIVE' ? {} : { activeSince: at }) };
  if (observation.state === 'missing')
    return { ...s, status: 'FAILED', statusReason: 'it is not on its node any more' };
  if (s.desired === 'stopped') return { ...s, status: 'STOPPED' };
  const statusReason = code === undefined ? 'it does not run any more' : `it ended with exit code ${code}`;
  return { ...s, status: code === 0 ? 'STOPPED' : 'FAILED', statusReason };
}

function updated(state: ContainerState, data: ContainerEvents['ContainerUpdated']): ContainerState {
  const { labels, resources, restartPolicy, operation } = data;
  const { contents } = state;
  const changes = { labels, ...omitUndefined({ resources, restartPolicy }) };
  const changed: ContainerState = { ...state, contents: { ...contents, ...changes } };
  if (!operation) return { ...changed, revision: state.revision + 1 };
  const requested = withOperation(changed, operation);
  // a unit that is seen again would not have the changes
  if (!isBuilt(state)) return { ...requested, builtGeneration: 0 };
  return withTask({ ...requested, status: 'UPDATING', previousContents: contents }, 'container.update', operation.id);
}

/** The demands replace those before; what is not demanded any more is removed. */
function demanding(state: ContainerState, data: ContainerEvents['ContainerDemandsChanged']): ContainerState {
  const { operation, ...changed } = data;
  const { nodeSelector: _labels, zone: _zone, region: _region, tolerations: _tolerations, ...kept } = state.contents;
  return withOperation({ ...state, contents: { ...kept, ...changed } }, operation);
}

const ACTIONS = {
  start: { desired: 'running', restarts: 0 },
  stop: { desired: 'stopped', restarts: 0 },
  restart: { desired: 'running', restarts: 1 },
} as const;

const actionHandler =
  (action: keyof typeof ACTIONS) =>
  (s: ContainerState, { data: { operation } }: { readonly data: { readonly operation?: OperationStart } }) => {
    const { desired, restarts } = ACTIONS[action];
    const requested = withOperation(withoutReason(s), operation);
    const changed: ContainerState = { ...requested, status: 'UPDATING', desired, restarts: s.restarts + restarts };
    return withTask(changed, `container.${action}`, operation?.id ?? '');
  };

function newContainer(declared: ContainerDeclaration, time: string): ContainerState {
  const container: ContainerState = {
    declared,
    contents: declared.contents,
    status: 'CREATING',
    desired: 'running',
    recentlyRejectedBy: {},
    nodeLost: false,
    deleting: false,
    deleted: false,
    generation: 0,
    builtGeneration: 0,
    revision: 0,
    work: noWork,
    operations: [],
    restarts: 0,
    createdAt: time,
    updatedAt: time,
  };
  return declared.operation ? withOperation(container, declared.operation) : { ...container, revision: 1 };
}

const lifecycleHandlers = {
  ContainerBecameActive: (s, { data: { address } }, at) => ({
    ...withoutReason(s),
    status: 'ACTIVE',
    activeSince: at,
    recentlyRejectedBy: {},
    ...omitUndefined({ address }),
  }),
  ContainerObserved: (s, { data }, at) => observed(s, data, at),
  ContainerHealthChanged: (s, { data: { health } }) => ({ ...s, health }),
  ContainerLossSuspected: (s, { data: { reason, acceptances } }) => ({
    ...withoutReason(withoutHealth(s)),
    status: 'UNREACHABLE',
    statusReason: reason,
    suspectedLoss: { acceptances },
  }),
  ContainerStopped: s => ({ ...withoutReason(withoutHealth(s)), status: 'STOPPED' }),
  ContainerDeleted: s => ({ ...withoutNode(s), deleted: true, work: {} }),
  OperationEnded: endOperation,
} satisfies Partial<Handlers>;

const requestHandlers = {
  ContainerStartRequested: actionHandler('start'),
  ContainerRestartRequested: actionHandler('restart'),
  ContainerStopRequested: actionHandler('stop'),
  ContainerRepairRequested: (s, { data: { do: action, reason, operationId } }) => {
    const repaired: ContainerState = { ...withoutReason(withoutHealth(s)), status: 'UPDATING', statusReason: reason };
    const next: ContainerState = { ...repaired, desired: 'running', restarts: s.restarts + 1 };
    // a creation removes what is left of the generations before
    return withTask(next, action === 'restart' ? 'container.restart' : 'container.create', operationId);
  },
  ContainerReleaseAwaited: (s, { data }, since) => ({ ...s, release: { ...data, since } }),
  ContainerReleaseRequested: (s, { data: { delivered } }) =>
    s.release ? { ...s, release: { ...s.release, isRequested: true, delivered } } : s,
  ContainerReleaseEnded: s => {
    const { release: _ended, ...rest } = s;
    return rest;
  },
  ContainerUpdated: (s, { data }) => updated(s, data),
  ContainerDemandsChanged: (s, { data }) => demanding(s, data),
  ContainerDeletionRequested: (s, { data: { operation, operationId, reason, graceSeconds } }) => {
    const graced = { ...s, ...omitUndefined({ graceSeconds }) };
    const requested: ContainerState = { ...graced, deleting: true, status: 'DELETING', statusReason: reason };
    const deleting = { ...withOperation(requested, operation), revision: s.revision + 1 };
    return s.nodeId === undefined ? deleting : withTask(deleting, 'container.delete', operationId);
  },
  ContainerTaskRetried: (s, { data: { operation } }) => {
    const begun = s.work.wanted?.kind === 'container.create' ? 'CREATING' : 'UPDATING';
    const status = s.deleting ? 'DELETING' : begun;
    return { ...withOperation(s, operation), work: resetRetries(s.work, operation.id), status };
  },
  OperationCancelRequested: cancelOperation,
} satisfies Partial<Handlers>;

export const containerStream = defineResourceStream<ContainerState, ContainerEvent, 'ContainerCreated'>(
  'container',
  { ContainerCreated: newContainer },
  {
    ...lifecycleHandlers,
    ...placementHandlers,
    ...requestHandlers,
    ...taskHandlers<ContainerState, ContainerTaskKind>({
      failed: (s, { kind, message, retryAt }) => {
        const failed = { ...s, statusReason: message };
        if (retryAt) return failed;
        if (kind === 'container.update') return withoutUpdate(failed);
        return { ...failed, status: s.deleting ? 'DELETING' : 'FAILED' };
      },
      completed: (s, { kind, generation }) => {
        const {
          observed: _outdated,
          previousContents: _replaced,
          ...done
        } = kind === 'container.update' ? s : withoutHealth(s);
        return kind === 'container.create' ? { ...done, builtGeneration: generation } : done;
      },
    }),
  },
);
