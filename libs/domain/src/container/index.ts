export * from './attachment-ledger.js';
export {
  closePlacement,
  completeEviction,
  decideClusterPlacement,
  delayNodeEviction,
  failEviction,
  placementStream,
  type ClusterContainersRemoved,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type EvictionEvent,
  type NodeEvictionDelayed,
  type NodeEvictionFailed,
} from './cluster-placement.js';
export { changedContents, type ContainerChanges } from './container-changes.js';
export * from './container-decider.js';
export type {
  AttachmentKind,
  ContainerCreated,
  ContainerDeclaration,
  ContainerDeleted,
  ContainerDemands,
  ContainerEvent,
  ContainerLossSuspected,
} from './container-events.js';
export * from './container-profile.js';
export * from './container-spec.js';
export {
  healthOf,
  isBuilt,
  isPending,
  rejectionBackoffMs,
  type ContainerState,
  type ContainerStatus,
  type ContainerTaskKind,
  type ShownHealth,
} from './container-state.js';
export * from './evolve-container.js';
export * from './move-container.js';
export * from './own-rules.js';
export * from './observe-container.js';
export * from './scale-proposals.js';
export * from './schedule-container.js';
