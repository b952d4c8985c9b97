import type { TaskKindOf } from '@stave/driver-sdk';
import type { AbandonedResource, PlannedOperation } from '../kernel/operation.js';
import type { Work } from '../task/task-state.js';
import type { ClusterChanges, ClusterCreated, ClusterSpecification } from './cluster-events.js';

export type ClusterTaskKind = TaskKindOf<'cluster'>;
/** The status that follows from the events of the cluster and its groups; clients see {@link shownStatus}. */
type ClusterStatus = 'CREATING' | 'ACTIVE' | 'DEGRADED' | 'FAILED' | 'DELETING';
export type ShownClusterStatus = ClusterStatus | 'UPDATING' | 'PAUSED';

/** A running operation. With `deletes` it ends when nothing of the cluster is left, else when the cluster is complete. */
export interface ClusterOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

/** Work on every node, group by group. Its operation runs as long as the rollout exists. */
export interface ClusterRollout {
  readonly operationId: string;
  readonly kind: 'rebuild' | 'reboot' | 'upgrade';
  readonly type?: 'soft' | 'hard';
  /** The version that an upgrade leads to; absent for one that a release before requested. */
  readonly version?: string;
  readonly planned?: PlannedOperation;
  /** The user allowed that nodes lose the only data of volumes that are to be retained. */
  readonly discardVolumes?: true;
}

export interface ClusterState {
  readonly created: ClusterCreated['data'];
  readonly spec: ClusterSpecification;
  readonly status: ClusterStatus;
  readonly statusReason?: string;
  readonly built: boolean;
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** No work is started in the cluster. */
  readonly paused: boolean;
  readonly rollout?: ClusterRollout;
  /** The rollout that failed last. A retry resumes it. */
  readonly failedRollout?: ClusterRollout;
  /** The version of before an upgrade that has not taken over the shared infrastructure yet. */
  readonly upgradedFrom?: string;
  /** The shared infrastructure is being built from an earlier specification; an update for this operation follows. */
  readonly pendingUpdate?: { readonly operationId: string };
  /** The loss of containers is suspected. */
  readonly containersMissing?: true;
  /** How often an administrator accepted a loss. */
  readonly lossesAccepted?: number;
  readonly deleting: boolean;
  /** The deletion abandons what cannot be removed. */
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

const kindsAtOnce: readonly ClusterTaskKind[] = ['cluster.rebuild', 'cluster.softReboot', 'cluster.hardReboot'];

/** Returns whether the driver rebuilds or reboots the cluster with all its nodes as one task, which has not failed permanently. */
export const isActedOnAtOnce = ({ work: { wanted } }: Pick<ClusterState, 'work'>): boolean =>
  wanted !== undefined && kindsAtOnce.includes(wanted.kind) && wanted.retriesExhausted !== true;

/** Returns the operation that rebuilds, reboots or upgrades nodes of the cluster now, at once or one after the other. */
export const actionOnNodes = (state: ClusterState): string | undefined =>
  isActedOnAtOnce(state) ? state.work.wanted?.operationId : state.rollout?.operationId;

/** Returns whether no work on nodes of the cluster starts now: it is paused, or its driver acts on all of them at once. */
export const isHeld = (state: Pick<ClusterState, 'paused' | 'work'>): boolean => state.paused || isActedOnAtOnce(state);

/** Returns the specification after a change; null removes the description. */
export function changedSpec(spec: ClusterSpecification, changes: ClusterChanges): ClusterSpecification {
  const { description, ...others } = changes;
  const { description: old, ...rest } = spec;
  const kept = description === undefined ? old : (description ?? undefined);
  return { ...rest, ...others, ...(kept === undefined ? {} : { description: kept }) };
}

/** Whether a conductor has built the shared infrastructure or builds it now, from the specification as it was then. */
export const isBuildBegun = ({ built, work }: ClusterState): boolean => built || work.claim !== undefined;

/** Returns the status that clients see. `UPDATING` is a complete cluster with a running operation. */
export function shownStatus({ status, deleting, paused, operations }: ClusterState): ShownClusterStatus {
  if (deleting) return 'DELETING';
  if (paused) return 'PAUSED';
  return status === 'ACTIVE' && operations.length > 0 ? 'UPDATING' : status;
}

const failures: Partial<Record<ClusterTaskKind, string>> = {
  'cluster.update': 'the shared parts could not be updated',
  'cluster.rebuild': 'the cluster could not be rebuilt',
  'cluster.softReboot': 'the cluster could not be rebooted',
  'cluster.hardReboot': 'the cluster could not be rebooted',
};

/** Returns the status reason of an update, rebuild or reboot of the cluster that failed permanently, if there is one. */
export function updateFailure({ built, deleting, work }: ClusterState): string | undefined {
  const { kind, retriesExhausted, lastError } = work.wanted ?? {};
  const what = kind && failures[kind];
  if (!built || deleting || !retriesExhausted || what === undefined) return undefined;
  return `${what}: ${lastError?.message ?? ''}`;
}
