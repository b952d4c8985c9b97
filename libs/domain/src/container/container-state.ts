import type { TaskKindOf } from '@stave/driver-sdk';
import type { UnitObservation } from '../health/observation.js';
import type { OperationStart } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import type { TaskEvent } from '../task/task-events.js';
import { evolveWork, noWork, resetRetries, wantTask, type Work } from '../task/task-state.js';
import type {
  ContainerDeclaration,
  ContainerEvent,
  ContainerUnschedulable,
  ContainerUpdated,
  PlacementExplanation,
} from './container-events.js';
import type { ContainerContents } from './container-spec.js';

export type ContainerTaskKind = TaskKindOf<'container'>;
export type ContainerStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'STOPPED' | 'UNSCHEDULABLE' | 'FAILED' | 'DELETING';

/** `deletes`: it is over when nothing of the container is left. */
interface ContainerOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

export interface ContainerState {
  readonly declared?: ContainerDeclaration;
  readonly contents?: ContainerContents;
  /** Before the update under way. */
  readonly previousContents?: ContainerContents;
  readonly status: ContainerStatus;
  readonly statusReason?: string;
  /** Where it is or has still something; absent while it waits for a place. */
  readonly nodeId?: string;
  readonly placement?: PlacementExplanation & { readonly nodeId: string; readonly at: string };
  readonly unschedulable?: ContainerUnschedulable['data'];
  readonly desired: 'running' | 'stopped';
  /** Why it leaves its node, while it does. */
  readonly evictionReason?: string;
  /** Nodes that had no room for it after all, how often, and when last. */
  readonly recentlyRejectedBy: Readonly<Record<string, { readonly times: number; readonly since: string }>>;
  readonly nodeLost: boolean;
  readonly deleting: boolean;
  readonly deleted: boolean;
  readonly generation: number;
  /** Of the unit that exists on the infrastructure; 0 for none. */
  readonly builtGeneration: number;
  /** Accepted changes of an operator. */
  readonly revision: number;
  readonly work: Work<ContainerTaskKind>;
  readonly operations: readonly ContainerOperation[];
  readonly address?: string;
  /** Asked for. */
  readonly restarts: number;
  /** How it was found on its node since its last task was done. */
  readonly observed?: UnitObservation;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const initialContainer: ContainerState = {
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
  createdAt: '',
  updatedAt: '',
};

/** It waits for a place. */
export const isPending = (s: ContainerState): boolean =>
  s.declared !== undefined && s.nodeId === undefined && !s.deleting && !s.deleted && !s.nodeLost;

function withTask(state: ContainerState, kind: ContainerTaskKind, operationId: string): ContainerState {
  const generation = state.generation + 1;
  const built = kind === 'container.create' || kind === 'container.delete' || state.builtGeneration > 0;
  const next = built ? kind : 'container.create';
  return { ...state, generation, work: wantTask(state.work, state.declared?.id ?? '', next, generation, operationId) };
}

function withOperation(state: ContainerState, operation: OperationStart | undefined): ContainerState {
  if (!operation) return state;
  const { id, kind } = operation;
  const deletes = state.deleting ? { deletes: true } : {};
  return { ...state, revision: state.revision + 1, operations: [...state.operations, { id, kind, ...deletes }] };
}

function withoutReason(state: ContainerState): ContainerState {
  const { statusReason: _reason, unschedulable: _why, ...rest } = state;
  return rest;
}

function withoutPlace(state: ContainerState): ContainerState {
  const { nodeId: _node, placement: _placement, address: _address, ...placeless } = state;
  const { evictionReason: _displaced, observed: _observed, ...rest } = placeless;
  return { ...rest, builtGeneration: 0 };
}

function evolveTask(state: ContainerState, event: TaskEvent<ContainerTaskKind>): ContainerState {
  const current = state.work.wanted?.taskId === event.data.taskId;
  const next: ContainerState = { ...state, work: evolveWork(state.work, event) };
  if (!current) return next;
  if (event.type === 'TaskFailed') {
    const failed = { ...next, statusReason: event.data.message };
    if (!event.data.retryAt && event.data.kind === 'container.update') return notUpdated(failed);
    return event.data.retryAt ? failed : { ...failed, status: state.deleting ? 'DELETING' : 'FAILED' };
  }
  if (event.type !== 'TaskCompleted') return next;
  const { observed: _seen, previousContents: _before, ...done } = next;
  return event.data.kind === 'container.create' ? { ...done, builtGeneration: event.data.generation } : done;
}

/** The process that ended it by himself with 0 has done what he was to do. */
function observed(state: ContainerState, sight: UnitObservation): ContainerState {
  const s = { ...withoutReason(state), observed: sight };
  const code = sight.exitCode;
  if (sight.state === 'running') return { ...s, status: 'ACTIVE' };
  if (sight.state === 'missing')
    return { ...s, status: 'FAILED', statusReason: 'it is not on its node any more', builtGeneration: 0 };
  if (s.desired === 'stopped') return { ...s, status: 'STOPPED' };
  const statusReason = code === undefined ? 'it does not run any more' : `it ended with exit code ${code}`;
  return { ...s, status: code === 0 ? 'STOPPED' : 'FAILED', statusReason };
}

function updated(state: ContainerState, data: ContainerUpdated['data']): ContainerState {
  const { labels, resources, restartPolicy, operation } = data;
  const { contents } = state;
  if (!contents) return state;
  const changes = { labels, ...(resources ? { resources } : {}), ...(restartPolicy ? { restartPolicy } : {}) };
  const changed: ContainerState = { ...state, contents: { ...contents, ...changes } };
  if (!operation) return { ...changed, revision: state.revision + 1 };
  const asked = withOperation(changed, operation);
  if (state.builtGeneration === 0) return asked;
  return withTask({ ...asked, status: 'UPDATING', previousContents: contents }, 'container.update', operation.id);
}

/** Its node did not take the change: it exists as it was. */
function notUpdated(state: ContainerState): ContainerState {
  const { previousContents, contents, ...rest } = state;
  const exists = previousContents && contents ? { ...previousContents, labels: contents.labels } : contents;
  return {
    ...rest,
    ...(exists ? { contents: exists } : {}),
    work: {},
    status: state.desired === 'stopped' ? 'STOPPED' : 'ACTIVE',
  };
}

const REJECTION_BACKOFF_BASE_MS = 30_000;
const REJECTION_BACKOFF_MAX_MS = 10 * 60_000;

/** Milliseconds that a node is left alone after it had no room for a container for the n-th time: each time twice as long. */
export const rejectionBackoffMs = (times: number): number =>
  Math.min(REJECTION_BACKOFF_MAX_MS, REJECTION_BACKOFF_BASE_MS * 2 ** (times - 1));

function withRejection(
  { recentlyRejectedBy }: ContainerState,
  nodeId: string,
  since: string,
): ContainerState['recentlyRejectedBy'] {
  return { ...recentlyRejectedBy, [nodeId]: { times: (recentlyRejectedBy[nodeId]?.times ?? 0) + 1, since } };
}

function evolveContainer(state: ContainerState, event: ContainerEvent, time: string): ContainerState {
  const s: ContainerState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'ContainerCreated': {
      const { operation, contents } = event.data;
      return withOperation({ ...s, declared: event.data, contents, createdAt: time }, operation);
    }
    case 'ContainerPlaced': {
      const { nodeId, explanation } = event.data;
      const placed = { ...withoutReason(s), nodeId, placement: { ...explanation, nodeId, at: time } };
      const creation = s.operations.find(o => o.kind === 'container.create');
      return withTask({ ...placed, status: 'CREATING' }, 'container.create', creation?.id ?? '');
    }
    case 'ContainerUnschedulable':
      return { ...s, status: 'UNSCHEDULABLE', statusReason: event.data.reason, unschedulable: event.data };
    case 'ContainerNodeLost':
      return { ...withoutReason(s), status: 'FAILED', statusReason: event.data.reason, nodeLost: true };
    case 'ContainerBecameActive': {
      const address = event.data.address ?? s.address;
      return {
        ...withoutReason(s),
        status: 'ACTIVE',
        recentlyRejectedBy: {},
        ...(address === undefined ? {} : { address }),
      };
    }
    case 'ContainerObserved':
      return observed(s, event.data);
    case 'ContainerStopped':
      return { ...withoutReason(s), status: 'STOPPED' };
    case 'ContainerStartRequested':
    case 'ContainerRestartRequested':
    case 'ContainerStopRequested': {
      const { operation } = event.data;
      const stop = event.type === 'ContainerStopRequested';
      const restart = event.type === 'ContainerRestartRequested';
      const kind = stop ? 'container.stop' : restart ? 'container.restart' : 'container.start';
      const asked = withOperation(withoutReason(s), operation);
      const changed: ContainerState = {
        ...asked,
        status: 'UPDATING',
        desired: stop ? 'stopped' : 'running',
        restarts: s.restarts + (restart ? 1 : 0),
      };
      return withTask(changed, kind, operation?.id ?? '');
    }
    case 'ContainerUpdated':
      return updated(s, event.data);
    case 'ContainerEvictionRequested': {
      const { reason, nodeId, insufficientResources } = event.data;
      const creation = s.operations.find(o => o.kind === 'container.create');
      const recentlyRejectedBy = insufficientResources ? withRejection(s, nodeId, time) : s.recentlyRejectedBy;
      const going: ContainerState = {
        ...s,
        status: 'UPDATING',
        statusReason: reason,
        evictionReason: reason,
        recentlyRejectedBy,
      };
      return withTask(going, 'container.delete', creation?.id ?? '');
    }
    case 'ContainerRemovedFromNode':
      return { ...withoutPlace(s), work: {}, status: 'CREATING', statusReason: event.data.reason };
    case 'ContainerDeletionRequested': {
      const { operation, operationId, reason } = event.data;
      const revision = s.revision + 1;
      const going = withOperation({ ...s, deleting: true, status: 'DELETING', statusReason: reason }, operation);
      return s.nodeId === undefined
        ? { ...going, revision }
        : withTask({ ...going, revision }, 'container.delete', operationId);
    }
    case 'ContainerTaskRetried': {
      const { operation } = event.data;
      const begun = s.work.wanted?.kind === 'container.create' ? 'CREATING' : 'UPDATING';
      return {
        ...withOperation(s, operation),
        work: resetRetries(s.work, operation.id),
        status: s.deleting ? 'DELETING' : begun,
      };
    }
    case 'ContainerDeleted':
      return { ...withoutPlace(s), deleted: true, work: {} };
    case 'OperationEnded':
      return { ...s, operations: s.operations.filter(o => o.id !== event.data.operationId) };
    case 'OperationCancelRequested':
      return {
        ...s,
        operations: s.operations.map(o => (o.id === event.data.operationId ? { ...o, cancelled: true } : o)),
      };
    default:
      return evolveTask(s, event);
  }
}

export const containerStream: StreamDefinition<ContainerState, ContainerEvent> = {
  category: 'container',
  initial: initialContainer,
  evolve: evolveContainer,
};
