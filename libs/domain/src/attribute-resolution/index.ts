export {
  clusterAttributes,
  clusterAttributesOf,
  defaultsOf,
  nodeGroupAttributes,
  nodeGroupAttributesOf,
  type ClusterAttributes,
  type ClusterAttributesInput,
  type NodeGroupAttributes,
  type NodeGroupAttributesInput,
  type WantedClusterSpecification,
  type WantedNodeGroupSpec,
} from './attributes.js';
export { problemsWithin, type Marks, type SourceRef } from './layers.js';
export { MAX_GROUPS, generatedName, mismatch, randomSource, type MergedGroup } from './merge-groups.js';
export {
  mergeCluster,
  outlineCluster,
  resolveCluster,
  resolveClusterTemplate,
  type ClusterOutline,
  type ClusterRequest,
  type ClusterSource,
  type ResolvedCluster,
} from './resolve-cluster.js';
export {
  marksOf,
  mergeNodeGroup,
  outlineNodeGroup,
  resolveNodeGroup,
  sourceLayer,
  type GroupDefaults,
  type NodeGroupLayer,
  type NodeGroupSource,
} from './resolve-node-group.js';
