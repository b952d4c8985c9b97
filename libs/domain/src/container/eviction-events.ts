import type { DomainEvent } from '../kernel/decider.js';

/** Facts in the stream `placement-<clusterId>` that other services wait for. */

/** No container is left on a node that drains or goes; `nodeRevision` is the node's revision that this answers. */
export type NodeEvictionCompleted = DomainEvent<
  'NodeEvictionCompleted',
  { readonly nodeId: string; readonly nodeRevision: number }
>;
/** All containers that are left on a node that drains could not be removed from it. */
export type NodeEvictionFailed = DomainEvent<
  'NodeEvictionFailed',
  { readonly nodeId: string; readonly nodeRevision: number; readonly reason: string }
>;
/** The cluster goes: nothing is placed in it any more. */
export type ClusterPlacementClosed = DomainEvent<'ClusterPlacementClosed', Record<string, never>>;
/** The cluster goes, is closed, and no container is left. */
export type ClusterContainersRemoved = DomainEvent<'ClusterContainersRemoved', Record<string, never>>;

export type EvictionEvent =
  NodeEvictionCompleted | NodeEvictionFailed | ClusterPlacementClosed | ClusterContainersRemoved;
