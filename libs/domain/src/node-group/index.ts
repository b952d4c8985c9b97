export { cancelNodeGroupOperation } from './cancel-node-group.js';
export { declarationOf } from './declare-member.js';
export { nodeGroupStream } from './evolve-node-group.js';
export {
  cancelClusterRollout,
  rebootNodeGroup,
  rebuildNodeGroup,
  retryNodeGroup,
  startClusterRollout,
} from './group-actions.js';
export { stepOperation, type MemberView } from './group-facts.js';
export { countOutdated, currentBuild } from './group-membership.js';
export { groupRolloutProgress } from './group-operations.js';
export { nodesBusyRefusal } from './group-refusals.js';
export { isNodeInService, memberView } from './member-view.js';
export type { NodeGroupChanges } from './node-group-changes.js';
export {
  createNodeGroup,
  deleteNodeGroup,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from './node-group-decider.js';
export type { NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
export { groupChanges, type NodeGroupPatch } from './node-group-patch.js';
export type { NodeGroupSpec } from './node-group-spec.js';
export { nodeGroupStatusReason, type Member, type NodeGroupState, type NodeGroupStatus } from './node-group-state.js';
export { reconcileNodeGroup } from './reconcile-node-group.js';
export { updateNodeGroup } from './update-node-group.js';
export { fullUpdateStrategy } from './update-strategy.js';
