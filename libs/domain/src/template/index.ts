export {
  createClusterTemplate,
  deleteClusterTemplate,
  updateClusterTemplate,
  type TemplatePatch,
} from './cluster-template-decider.js';
export {
  abandonTemplateMove,
  createNodeGroupTemplate,
  deleteNodeGroupTemplate,
  deleteWithClusterTemplate,
  updateNodeGroupTemplate,
} from './node-group-template-decider.js';
export type {
  ClusterTemplateCreated,
  ClusterTemplateEvent,
  NodeGroupTemplateCreated,
  NodeGroupTemplateDeclaration,
  NodeGroupTemplateEvent,
} from './template-events.js';
export { immutableAttributesOf, normalizedMarks } from './template-rules.js';
export {
  groupTemplateNow,
  sourceOfCluster,
  sourceOfClusterTemplate,
  sourceOfGroupTemplate,
  sourceOfNodeGroup,
} from './template-sources.js';
export {
  clusterTemplateStream,
  nodeGroupTemplateStream,
  type ClusterTemplateState,
  type NodeGroupTemplateState,
  type TemplateState,
} from './template-state.js';
