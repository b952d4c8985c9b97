import type { OperationStart } from '../kernel/operation.js';
import { evolveWork, noWork, unpark, want, type Work } from '../task/task-state.js';
import type { ClusterChanges, ClusterCreated, ClusterEvent, ClusterSpecification } from './cluster-events.js';

export type ClusterTaskKind = 'cluster.create' | 'cluster.delete';
export type ClusterStatus = 'CREATING' | 'ACTIVE' | 'DEGRADED' | 'FAILED' | 'DELETING';

/** `deletes`: it is over when nothing of the cluster is left; else when the cluster is whole. */
export interface ClusterOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

export interface ClusterState {
  readonly created?: ClusterCreated['data'];
  readonly spec?: ClusterSpecification;
  readonly status: ClusterStatus;
  readonly statusReason?: string;
  /** Its shared parts stand on the infrastructure. */
  readonly built: boolean;
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  readonly deleting: boolean;
  readonly emptied: boolean;
  readonly deleted: boolean;
  readonly generation: number;
  readonly revision: number;
  readonly work: Work<ClusterTaskKind>;
  readonly operations: readonly ClusterOperation[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialCluster: ClusterState = {
  status: 'CREATING',
  built: false,
  endpoints: [],
  deleting: false,
  emptied: false,
  deleted: false,
  generation: 0,
  revision: 0,
  work: noWork,
  operations: [],
  createdAt: '',
  updatedAt: '',
};

function wanting(state: ClusterState, kind: ClusterTaskKind, operationId: string): ClusterState {
  const generation = state.generation + 1;
  return { ...state, generation, work: want(state.work, state.created?.id ?? '', kind, generation, operationId) };
}

/** The specification after a change; null takes the description away. */
export function changedSpec(spec: ClusterSpecification, changes: ClusterChanges): ClusterSpecification {
  const { description, ...others } = changes;
  const { description: old, ...rest } = spec;
  const kept = description === undefined ? old : (description ?? undefined);
  return { ...rest, ...others, ...(kept === undefined ? {} : { description: kept }) };
}

function retried(state: ClusterState, operation: OperationStart | undefined): ClusterState {
  const own = operation ? [{ id: operation.id, kind: operation.kind, deletes: state.deleting }] : [];
  return {
    ...state,
    operations: [...state.operations, ...own],
    work: unpark(state.work, operation?.id),
    status: state.deleting ? 'DELETING' : 'CREATING',
  };
}

export function evolveCluster(state: ClusterState, event: ClusterEvent, time: string): ClusterState {
  const s: ClusterState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'ClusterCreated': {
      const { operation, spec } = event.data;
      const created = {
        ...s,
        created: event.data,
        spec,
        revision: 1,
        createdAt: time,
        operations: [{ id: operation.id, kind: operation.kind }],
      };
      return wanting(created, 'cluster.create', operation.id);
    }
    case 'ClusterUpdated':
      return { ...s, revision: s.revision + 1, ...(s.spec ? { spec: changedSpec(s.spec, event.data.changes) } : {}) };
    case 'ClusterBecameActive': {
      const { statusReason: _reason, ...rest } = s;
      return { ...rest, status: 'ACTIVE' };
    }
    case 'ClusterDegraded':
      return { ...s, status: s.deleting ? 'DELETING' : 'DEGRADED', statusReason: event.data.reason };
    case 'ClusterDeletionRequested': {
      const { id, kind } = event.data.operation;
      const { statusReason: _reason, ...rest } = s;
      const going: ClusterState = {
        ...rest,
        deleting: true,
        status: 'DELETING',
        revision: s.revision + 1,
        operations: [...s.operations, { id, kind, deletes: true }],
        work: s.work.claim ? { claim: s.work.claim } : {},
      };
      return s.emptied ? wanting(going, 'cluster.delete', id) : going;
    }
    case 'ClusterEmptied':
      return wanting({ ...s, emptied: true }, 'cluster.delete', s.operations.at(-1)?.id ?? '');
    case 'ClusterDeleted':
      return { ...s, deleted: true, work: {} };
    case 'ClusterTaskRetried':
      return s.work.wanted ? retried(s, event.data.operation) : s;
    case 'OperationEnded':
      return { ...s, operations: s.operations.filter(o => o.id !== event.data.operationId) };
    case 'OperationCancelRequested':
      return {
        ...s,
        operations: s.operations.map(o => (o.id === event.data.operationId ? { ...o, cancelled: true } : o)),
      };
    case 'TaskCompleted': {
      const done = { ...s, work: evolveWork(s.work, event) };
      if (s.work.wanted?.taskId !== event.data.taskId || event.data.kind !== 'cluster.create') return done;
      const endpoints = event.data.result['endpoints'];
      return {
        ...done,
        built: true,
        endpoints: Array.isArray(endpoints) ? (endpoints as ClusterState['endpoints']) : [],
      };
    }
    case 'TaskFailed': {
      const failed = { ...s, work: evolveWork(s.work, event), statusReason: event.data.message };
      return event.data.retryAt || s.deleting ? failed : { ...failed, status: 'FAILED' };
    }
    default:
      return { ...s, work: evolveWork(s.work, event) };
  }
}
