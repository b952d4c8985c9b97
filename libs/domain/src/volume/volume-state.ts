import type { TaskKindOf } from '@stave/driver-sdk';
import { cancelOperation, endOperation, type OperationStart } from '../kernel/operation.js';
import { defineResourceStream } from '../kernel/stream-definition.js';
import type { Labels } from '../placement/model.js';
import { noWork, resetRetries, taskHandlers, withNextTask, type Work } from '../task/task-state.js';
import type { ReclaimPolicy, VolumeDeclaration, VolumeEvent } from './volume-events.js';

export type VolumeTaskKind = TaskKindOf<'volume'>;
export type VolumeStatus = 'CREATING' | 'ACTIVE' | 'UNKNOWN' | 'LOST' | 'FAILED' | 'DELETING';

interface VolumeOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

export interface VolumeState {
  readonly declared: VolumeDeclaration;
  readonly labels: Labels;
  readonly reclaimPolicy: ReclaimPolicy;
  readonly status: VolumeStatus;
  readonly statusReason?: string;
  /** The node that has the data of a volume of node scope. */
  readonly nodeId?: string;
  readonly deleting: boolean;
  /** Nothing uses the volume while it is deleted. */
  readonly released: boolean;
  readonly deleted: boolean;
  /** Why the data of the deleted volume was left where it is. */
  readonly abandoned?: string;
  readonly generation: number;
  readonly revision: number;
  readonly work: Work<VolumeTaskKind>;
  readonly operations: readonly VolumeOperation[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

function withOperation(state: VolumeState, operation: OperationStart | undefined): VolumeState {
  if (!operation) return state;
  const { id, kind } = operation;
  const deletes = state.deleting ? { deletes: true } : {};
  return { ...state, operations: [...state.operations, { id, kind, ...deletes }] };
}

function withoutReason({ statusReason: _reason, ...rest }: VolumeState): VolumeState {
  return rest;
}

/** Shows what became of the node with the data, unless the volume is being deleted. */
const withStatus = (state: VolumeState, status: VolumeStatus, statusReason: string): VolumeState =>
  state.deleting ? state : { ...state, status, statusReason };

const active = (state: VolumeState): VolumeState =>
  state.deleting ? state : { ...withoutReason(state), status: 'ACTIVE' };

const withTask = (state: VolumeState, kind: VolumeTaskKind, operationId: string): VolumeState =>
  withNextTask(state, state.declared.id, kind, operationId);

function newVolume(declared: VolumeDeclaration, time: string): VolumeState {
  const volume: VolumeState = {
    declared,
    labels: declared.labels,
    reclaimPolicy: declared.reclaimPolicy,
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
  const requested = withOperation(volume, operation);
  if (scope === 'node') return requested;
  return withTask({ ...requested, generation: 0 }, 'volume.create', operation?.id ?? '');
}

/** Returns whether there is data on the infrastructure that a deletion removes. */
export const hasData = ({ declared, nodeId, status }: VolumeState): boolean =>
  declared.scope === 'cluster' || (nodeId !== undefined && status !== 'LOST');

export const volumeStream = defineResourceStream<VolumeState, VolumeEvent, 'VolumeCreated'>(
  'volume',
  { VolumeCreated: newVolume },
  {
    VolumeBecameActive: active,
    VolumeUpdated: (s, { data }) => ({ ...s, ...data, revision: s.revision + 1 }),
    VolumeBound: (s, { data: { nodeId } }) => ({ ...active(s), nodeId }),
    VolumeRebound: s => {
      const { nodeId: _given, ...rest } = active(s);
      return { ...rest, revision: s.revision + 1 };
    },
    VolumeDetachRequested: s => ({ ...s, revision: s.revision + 1 }),
    VolumeBecameUnknown: s => withStatus(s, 'UNKNOWN', 'the node that has its data cannot be reached'),
    VolumeLost: s => {
      const lost = withStatus(s, 'LOST', 'the node that had its data was removed');
      const { nodeId: _gone, ...rest } = lost;
      return s.deleting ? rest : lost;
    },
    VolumeFound: active,
    VolumeTaskRetried: (s, { data: { operation } }) => ({
      ...withOperation(withoutReason(s), operation),
      revision: s.revision + 1,
      work: resetRetries(s.work, operation.id),
      status: s.deleting ? 'DELETING' : 'CREATING',
    }),
    VolumeDeletionRequested: (s, { data: { operation, reason } }) => {
      const { nodeId: _lost, ...withoutNode } = s;
      const kept: VolumeState = s.status === 'LOST' ? withoutNode : s;
      return {
        ...withOperation({ ...kept, deleting: true, status: 'DELETING', statusReason: reason }, operation),
        revision: s.revision + 1,
      };
    },
    VolumeReleased: s => {
      const released = { ...s, released: true };
      return hasData(s) ? withTask(released, 'volume.delete', s.operations.find(o => o.deletes)?.id ?? '') : released;
    },
    VolumeDeleted: (s, { data: { abandoned } }) => ({
      ...s,
      deleted: true,
      work: noWork,
      ...(abandoned !== undefined && { abandoned }),
    }),
    OperationEnded: endOperation,
    OperationCancelRequested: cancelOperation,
    ...taskHandlers<VolumeState, VolumeTaskKind>({
      failed: (s, { message, retryAt }) => ({
        ...s,
        statusReason: message,
        ...(retryAt || s.deleting ? {} : { status: 'FAILED' }),
      }),
      completed: s => s,
    }),
  },
);
