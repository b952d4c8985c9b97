export { nodeStream } from './evolve-node.js';
export {
  abandonNode,
  acceptsMetadataUpdate,
  acceptsRollout,
  isAbandonable,
  requestNodeRollout,
  updateNodeMetadata,
} from './group-requests.js';
export {
  blockNode,
  cancelNodeOperation,
  cordonNode,
  declareNode,
  drainNode,
  failDrain,
  failOverdueDrain,
  isCreationBlocked,
  nodeDrained,
  rebootNode,
  rebuildNode,
  removalFor,
  removeNode,
  reportNodeTask,
  retryNodeTask,
} from './node-decider.js';
export type { NodeEvent } from './node-events.js';
export { nodeEvictionReason, type NodeState, type NodeStatus, type NodeTaskKind } from './node-state.js';
export { classifyNodeUnit, expectedNodeUnit, observeNode } from './observe-node.js';
