import { truncate } from '../kernel/listing.js';
import { conflict, notFound, revisionMismatch, type Refusal } from '../kernel/refusal.js';
import type { ClusterOperation, ClusterState } from './cluster-state.js';

/** Returns why the cluster accepts nothing but its deletion. */
export function clusterRefusal(state: ClusterState, ifMatch?: number): Refusal | undefined {
  if (!state.created || state.deleted) return notFound('the cluster');
  if (ifMatch !== undefined && ifMatch !== state.revision) return revisionMismatch(ifMatch, state.revision);
  return state.deleting ? conflict('being-deleted', 'the cluster is being deleted') : undefined;
}

/** Returns why no new work can start in the cluster, or undefined when it can. */
export function clusterWorkRefusal(state: ClusterState): Refusal | undefined {
  const detail = 'the cluster could not be built; retry or delete it';
  return clusterRefusal(state) ?? (state.status === 'FAILED' ? conflict('cluster-failed', detail) : undefined);
}

/** Returns why no work on the cluster, its node groups and nodes starts now; containers are not affected. */
export const pausedRefusal = ({ paused }: ClusterState): Refusal | undefined =>
  paused ? conflict('paused', 'the cluster is paused; resume it first') : undefined;

/** Returns why no node can be built: the cluster itself failed permanently. */
export const nodeBuildBlocker = ({ status, statusReason = '' }: ClusterState): string | undefined =>
  status === 'FAILED' ? truncate(`the cluster could not be built: ${statusReason}`) : undefined;

/** Names the work that is under way. */
export const busyRefusal = ({ id, kind }: ClusterOperation): Refusal => ({
  ...conflict('busy', `${kind} is under way (operation ${id}); wait for it or cancel it`),
  extra: { operationId: id, kind },
});

export const isBeingDeleted = ({ operations }: ClusterState): boolean => operations.some(o => o.deletes);
