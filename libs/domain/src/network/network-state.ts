import type { TaskKindOf } from '@stave/driver-sdk';
import { cancelOperation, endOperation, type OperationStart } from '../kernel/operation.js';
import { defineResourceStream } from '../kernel/stream-definition.js';
import type { Labels } from '../placement/model.js';
import { noWork, resetRetries, taskHandlers, withNextTask, type Work } from '../task/task-state.js';
import type { NetworkDeclaration, NetworkEvent } from './network-events.js';

export type NetworkTaskKind = TaskKindOf<'network'>;
export type NetworkStatus = 'CREATING' | 'ACTIVE' | 'FAILED' | 'DELETING';

interface NetworkOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

export interface NetworkState {
  readonly declared: NetworkDeclaration;
  readonly labels: Labels;
  readonly autoRemove: boolean;
  readonly status: NetworkStatus;
  readonly statusReason?: string;
  readonly deleting: boolean;
  /** Nothing uses the network while it is deleted. */
  readonly released: boolean;
  readonly deleted: boolean;
  readonly generation: number;
  readonly revision: number;
  readonly work: Work<NetworkTaskKind>;
  readonly operations: readonly NetworkOperation[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

function withOperation(state: NetworkState, operation: OperationStart | undefined): NetworkState {
  if (!operation) return state;
  const { id, kind } = operation;
  const deletes = state.deleting ? { deletes: true } : {};
  return { ...state, operations: [...state.operations, { id, kind, ...deletes }] };
}

function withoutReason({ statusReason: _reason, ...rest }: NetworkState): NetworkState {
  return rest;
}

const withTask = (state: NetworkState, kind: NetworkTaskKind, operationId: string): NetworkState =>
  withNextTask(state, state.declared.id, kind, operationId);

function newNetwork(declared: NetworkDeclaration, time: string): NetworkState {
  const network: NetworkState = {
    declared,
    labels: declared.labels,
    autoRemove: declared.autoRemove,
    status: 'CREATING',
    deleting: false,
    released: false,
    deleted: false,
    generation: 1,
    revision: 1,
    work: noWork,
    operations: [],
    createdAt: time,
    updatedAt: time,
  };
  const { operation, scope } = declared;
  const requested = withOperation(network, operation);
  if (scope === 'node') return requested;
  return withTask({ ...requested, generation: 0 }, 'network.create', operation?.id ?? '');
}

export const networkStream = defineResourceStream<NetworkState, NetworkEvent, 'NetworkCreated'>(
  'network',
  { NetworkCreated: newNetwork },
  {
    NetworkBecameActive: s => ({ ...withoutReason(s), status: 'ACTIVE' }),
    NetworkUpdated: (s, { data }) => ({ ...s, ...data, revision: s.revision + 1 }),
    NetworkTaskRetried: (s, { data: { operation } }) => ({
      ...withOperation(withoutReason(s), operation),
      revision: s.revision + 1,
      work: resetRetries(s.work, operation.id),
      status: s.deleting ? 'DELETING' : 'CREATING',
    }),
    NetworkDeletionRequested: (s, { data: { operation, reason } }) => ({
      ...withOperation({ ...s, deleting: true, status: 'DELETING', statusReason: reason }, operation),
      revision: s.revision + 1,
    }),
    NetworkReleased: s => {
      const released = { ...s, released: true };
      if (s.declared.scope === 'node') return released;
      return withTask(released, 'network.delete', s.operations.find(o => o.deletes)?.id ?? '');
    },
    NetworkDeleted: s => ({ ...s, deleted: true, work: noWork }),
    OperationEnded: endOperation,
    OperationCancelRequested: cancelOperation,
    ...taskHandlers<NetworkState, NetworkTaskKind>({
      failed: (s, { message, retryAt }) => ({
        ...s,
        statusReason: message,
        ...(retryAt || s.deleting ? {} : { status: 'FAILED' }),
      }),
      completed: s => s,
    }),
  },
);
