import type { DriverScope, TaskKindOf } from '@stave/driver-sdk';
import type { EventOf } from '../kernel/decider.js';
import type { OperationCancelRequested, OperationEnded, OperationStart } from '../kernel/operation.js';
import type { Labels } from '../placement/model.js';
import type { TaskEvent } from '../task/task-state.js';

export type ReclaimPolicy = 'retain' | 'delete';

export interface VolumeDeclaration {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly clusterId: string;
  readonly driver: string;
  /** Where the volume exists; its driver decides. */
  readonly scope: DriverScope;
  /** What its driver is given. */
  readonly options: Readonly<Record<string, unknown>>;
  /** `exclusive`: the containers of one node only use the volume at the same time. */
  readonly accessMode: 'shared' | 'exclusive';
  /** `delete`: the volume is deleted after the last container that names it. */
  readonly reclaimPolicy: ReclaimPolicy;
  readonly labels: Labels;
  /** Absent for a volume that is made for a container. */
  readonly operation?: OperationStart;
}

interface VolumeEvents {
  /** A volume was requested, by a client or by the first container that names it. */
  VolumeCreated: VolumeDeclaration;
  /** Containers can use the volume: it exists in its cluster, or its first container decides which node has it. */
  VolumeBecameActive: Record<string, never>;
  /** Labels or reclaim policy of the volume changed. */
  VolumeUpdated: Pick<VolumeDeclaration, 'labels' | 'reclaimPolicy'>;
  /** The node of the first container has the data of the volume. */
  VolumeBound: { readonly nodeId: string };
  /** The data on the node was discarded. */
  VolumeRebound: { readonly nodeId: string };
  /** The volume was taken from the containers that used it. */
  VolumeDetachRequested: { readonly users: readonly string[] };
  /** The node that has the data cannot be reached. */
  VolumeBecameUnknown: { readonly nodeId: string };
  /** The node that had the data was removed. */
  VolumeLost: { readonly nodeId: string };
  /** The node that has the data can be reached again. */
  VolumeFound: { readonly nodeId: string };
  /** Work of the volume whose retries were exhausted is retried. */
  VolumeTaskRetried: { readonly operation: OperationStart };
  /**
   * The deletion of the volume was requested. `operationId` is the operation of the request that caused it, which may belong to another
   * resource.
   */
  VolumeDeletionRequested: {
    readonly operation?: OperationStart;
    readonly operationId: string;
    readonly reason: string;
  };
  /** No container uses the volume, and none will: its data is removed, unless no node has any. */
  VolumeReleased: Record<string, never>;
  /** The volume was deleted. With `abandoned` its data is left where it is. */
  VolumeDeleted: { readonly clusterId: string; readonly abandoned?: string };
}

export type VolumeEvent =
  EventOf<VolumeEvents> | OperationEnded | OperationCancelRequested | TaskEvent<TaskKindOf<'volume'>>;
