export {
  closePlacement,
  completeEviction,
  decideClusterPlacement,
  failEviction,
  placementStream,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type EvictionEvent,
  type NodeEvictionFailed,
} from './cluster-placement.js';
export {
  CONTAINER_RETRY,
  actOnContainer,
  cancelContainerOperation,
  changedContents,
  createContainer,
  deleteContainer,
  retryContainer,
  updateContainer,
  type ContainerChanges,
} from './container-decider.js';
export type { ContainerCreated, ContainerDeclaration, ContainerDeleted, ContainerEvent } from './container-events.js';
export {
  containerProfileStream,
  createContainerProfile,
  deleteContainerProfile,
  updateContainerProfile,
  type ContainerProfileEvent,
  type ContainerProfileSpec,
  type ContainerProfileState,
} from './container-profile.js';
export {
  placementTargetProblems,
  type ContainerContents,
  type PlacementTarget,
  type TargetNode,
} from './container-spec.js';
export {
  isPending,
  rejectionBackoffMs,
  type ContainerState,
  type ContainerStatus,
  type ContainerTaskKind,
} from './container-state.js';
export { containerStream } from './evolve-container.js';
export { expectedContainerUnit, observeContainer } from './observe-container.js';
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
