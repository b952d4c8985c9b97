import type { DomainEvent } from '../kernel/decider.js';

/** Events in the stream `placement-<clusterId>` that other services wait for. */

/** No container is left on a node that drains or is removed. */
export type NodeEvictionCompleted = DomainEvent<
  'NodeEvictionCompleted',
  { readonly nodeId: string; readonly nodeRevision: number }
>;
/** Containers on a draining node could not be removed. */
export type NodeEvictionFailed = DomainEvent<
  'NodeEvictionFailed',
  { readonly nodeId: string; readonly nodeRevision: number; readonly reason: string }
>;
/** The cluster is being deleted; nothing new is placed in it. */
export type ClusterPlacementClosed = DomainEvent<'ClusterPlacementClosed', Record<string, never>>;
/** The cluster is being deleted, and no container is left in it. */
export type ClusterContainersRemoved = DomainEvent<'ClusterContainersRemoved', Record<string, never>>;

export type EvictionEvent =
  NodeEvictionCompleted | NodeEvictionFailed | ClusterPlacementClosed | ClusterContainersRemoved;
