export { pauseCluster, updateCluster } from './change-cluster.js';
export { cancelClusterOperation, createCluster, deleteCluster, retryCluster } from './cluster-decider.js';
export type {
  ClusterChanges,
  ClusterCreated,
  ClusterEvent,
  ClusterSpecification,
  GroupDeclaration,
} from './cluster-events.js';
export { clusterHealth, type NodeCounts } from './cluster-health.js';
export { clusterWorkRefusal, nodeBuildBlocker, pausedRefusal } from './cluster-refusals.js';
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
export { rebootCluster, rebuildCluster, upgradeCluster } from './roll-cluster.js';
