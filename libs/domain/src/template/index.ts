export {
  abandonTemplateMove,
  createClusterTemplate,
  createNodeGroupTemplate,
  deleteClusterTemplate,
  deleteNodeGroupTemplate,
  deleteWithClusterTemplate,
  updateClusterTemplate,
  updateNodeGroupTemplate,
  type TemplatePatch,
} from './template-decider.js';
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
  type ClusterTemplateCreated,
  type ClusterTemplateEvent,
  type ClusterTemplateState,
  type NodeGroupTemplateCreated,
  type NodeGroupTemplateDeclaration,
  type NodeGroupTemplateEvent,
  type NodeGroupTemplateState,
  type TemplateState,
} from './template-state.js';
