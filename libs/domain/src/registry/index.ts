export {
  closeGroups,
  clusterGroupsStream,
  registerGroups,
  unregisterGroup,
  type ClusterGroupsState,
} from './cluster-groups.js';
