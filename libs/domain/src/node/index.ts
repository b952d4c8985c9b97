export * from './evolve-node.js';
export {
  abandonNode,
  acceptsMetadataUpdate,
  acceptsNodeRepair,
  acceptsRollout,
  isAbandonable,
  repairNode,
  requestNodeRollout,
  updateNodeMetadata,
} from './group-requests.js';
export * from './node-decider.js';
export { assignMachine, awaitsMachine, lackMachine, lacksMachine } from './node-machine.js';
export type { NodeEvent } from './node-events.js';
export { noteNodeRelease, noteNodeReleaseRequested } from './release-node.js';
export { isOpenNode, nodeEvictionReason, type NodeState, type NodeStatus, type NodeTaskKind } from './node-state.js';
export * from './observe-node.js';
