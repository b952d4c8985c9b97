export * from './cluster-decider.js';
export type {
  ClusterChanges,
  ClusterCreated,
  ClusterEvent,
  ClusterSpecification,
  GroupDeclaration,
} from './cluster-events.js';
export * from './cluster-health.js';
export {
  isCancelled,
  nextGroupToRollOut,
  nodeRolloutKindOf,
  runnableRollout,
  type RollingGroup,
} from './cluster-rollout.js';
export {
  isActedOnAtOnce,
  isBuildBegun,
  isHeld,
  shownStatus,
  type ClusterState,
  type ClusterTaskKind,
  type ShownClusterStatus,
} from './cluster-state.js';
export * from './evolve-cluster.js';
export * from './reconcile-cluster.js';
export * from './report-cluster-task.js';
export {
  clusterGroupsStream,
  closeGroups,
  registerGroups,
  unregisterGroup,
  type ClusterGroupsEvent,
  type ClusterGroupsState,
} from './cluster-groups.js';
