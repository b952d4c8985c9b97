export {
  closePlacement,
  completeEviction,
  decideClusterPlacement,
  failEviction,
  placementStream,
  type ClusterPlacement,
  type ClusterPlacementEvent,
} from './cluster-placement.js';
export { actOnContainer, cancelContainerOperation, createContainer, deleteContainer } from './container-decider.js';
export type { ContainerCreated, ContainerDeclaration, ContainerDeleted, ContainerEvent } from './container-events.js';
export type { ContainerProfileEvent, ContainerProfileSpec } from './container-profile-events.js';
export {
  containerProfileStream,
  createContainerProfile,
  deleteContainerProfile,
  updateContainerProfile,
  type ContainerProfileState,
} from './container-profile.js';
export type { ContainerContents, PlacementTarget } from './container-spec.js';
export { isPending, type ContainerState, type ContainerStatus, type ContainerTaskKind } from './container-state.js';
export { containerStream } from './evolve-container.js';
export type { EvictionEvent, NodeEvictionFailed } from './eviction-events.js';
export { placementTargetProblems, type TargetNode } from './host-rules.js';
export { rejectionBackoffMs } from './node-rejections.js';
export { expectedContainerUnit, observeContainer } from './observe-container.js';
export { CONTAINER_RETRY, retryContainer } from './retry-container.js';
export {
  containerRemovalFailure,
  evictContainer,
  loseContainerNode,
  markUnschedulable,
  placeContainer,
  placementRequest,
  removeContainerWithNode,
  reportContainerTask,
} from './schedule-container.js';
export { changedContents, updateContainer, type ContainerChanges } from './update-container.js';
