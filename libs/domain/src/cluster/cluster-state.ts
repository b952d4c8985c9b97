import type { TaskKindOf } from '@stave/driver-sdk';
import type { AbandonedResource } from '../kernel/abandoned.js';
import type { PlannedOperation } from '../kernel/operation.js';
import { noWork, type Work } from '../task/task-state.js';
import type { ClusterChanges, ClusterCreated, ClusterSpecification } from './cluster-events.js';

export type ClusterTaskKind = TaskKindOf<'cluster'>;
/** What the cluster's events and its groups result in; clients see {@link shownStatus}. */
type ClusterStatus = 'CREATING' | 'ACTIVE' | 'DEGRADED' | 'FAILED' | 'DELETING';
export type ShownClusterStatus = ClusterStatus | 'UPDATING' | 'PAUSED';

/** `deletes`: it is over when nothing of the cluster is left; else when the cluster is complete. */
export interface ClusterOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

/** What shall be done to every node, group by group. Its operation is open as long as it exists. */
export interface ClusterRollout {
  readonly operationId: string;
  readonly kind: 'rebuild' | 'reboot' | 'upgrade';
  /** Of a reboot. */
  readonly type?: 'soft' | 'hard';
  readonly planned?: PlannedOperation;
}

export interface ClusterState {
  readonly created?: ClusterCreated['data'];
  readonly spec?: ClusterSpecification;
  readonly status: ClusterStatus;
  readonly statusReason?: string;
  /** Its shared parts stand on the infrastructure. */
  readonly built: boolean;
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** Nothing is begun in it. */
  readonly paused: boolean;
  readonly rollout?: ClusterRollout;
  /** The rollout that failed last: a retry takes it up. */
  readonly failedRollout?: ClusterRollout;
  /** Its shared parts are being built as they were asked for earlier: an update follows, for this operation. */
  readonly pendingUpdate?: { readonly operationId: string };
  readonly deleting: boolean;
  /** What cannot be removed is left. */
  readonly forced: boolean;
  readonly abandoned: readonly AbandonedResource[];
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
  paused: false,
  deleting: false,
  forced: false,
  abandoned: [],
  emptied: false,
  deleted: false,
  generation: 0,
  revision: 0,
  work: noWork,
  operations: [],
  createdAt: '',
  updatedAt: '',
};

/** The specification after a change; null takes the description away. */
export function changedSpec(spec: ClusterSpecification, changes: ClusterChanges): ClusterSpecification {
  const { description, ...others } = changes;
  const { description: old, ...rest } = spec;
  const kept = description === undefined ? old : (description ?? undefined);
  return { ...rest, ...others, ...(kept === undefined ? {} : { description: kept }) };
}

/** As clients see it: `UPDATING` is a complete cluster at which an operation is under way. */
export function shownStatus({ status, deleting, paused, operations }: ClusterState): ShownClusterStatus {
  if (deleting) return 'DELETING';
  if (paused) return 'PAUSED';
  return status === 'ACTIVE' && operations.length > 0 ? 'UPDATING' : status;
}

/** What an update of the shared parts that failed permanently makes of the cluster's status; undefined when none was. */
export function updateFailure({ built, deleting, work }: ClusterState): string | undefined {
  const { kind, retriesExhausted, lastError } = work.wanted ?? {};
  if (!built || deleting || !retriesExhausted || kind !== 'cluster.update') return undefined;
  return `the shared parts could not be updated: ${lastError?.message ?? ''}`;
}
