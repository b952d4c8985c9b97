export {
  closeGroups,
  clusterGroupsStream,
  registerGroups,
  unregisterGroup,
  type ClusterGroupsState,
} from '../cluster/cluster-groups.js';
