export {
  cancelClusterOperation,
  clusterWorkRefusal,
  createCluster,
  deleteCluster,
  nodeBuildBlocker,
  pauseCluster,
  pausedRefusal,
  rebootCluster,
  rebuildCluster,
  retryCluster,
  updateCluster,
  upgradeCluster,
} from './cluster-decider.js';
export type {
  ClusterChanges,
  ClusterCreated,
  ClusterEvent,
  ClusterSpecification,
  GroupDeclaration,
} from './cluster-events.js';
export { clusterHealth, type NodeCounts } from './cluster-health.js';
export {
  isCancelled,
  nextGroupToRollOut,
  nodeRolloutKindOf,
  runnableRollout,
  type RollingGroup,
} from './cluster-rollout.js';
export { shownStatus, type ClusterState, type ClusterTaskKind, type ShownClusterStatus } from './cluster-state.js';
export { clusterStream } from './evolve-cluster.js';
export { groupView, reconcileCluster, type ClusterReconcileInput, type GroupView } from './reconcile-cluster.js';
export { reportClusterTask } from './report-cluster-task.js';
