export { awaitedGroups } from './awaited-groups.js';
export { nodeGroupStream } from './evolve-node-group.js';
export {
  cancelClusterRollout,
  rebootNodeGroup,
  rebuildNodeGroup,
  retryNodeGroup,
  startClusterRollout,
} from './group-actions.js';
export { stepOperation } from './group-facts.js';
export { countOutdated, currentBuild } from './group-membership.js';
export { groupRolloutProgress } from './group-operations.js';
export { declarationOf, isNodeInService, memberView, type MemberView } from './member-view.js';
export { groupChanges, type NodeGroupChanges, type NodeGroupPatch } from './node-group-changes.js';
export {
  cancelNodeGroupOperation,
  createNodeGroup,
  deleteNodeGroup,
  nodesBusyRefusal,
  removeMember,
  replaceMember,
  resizeNodeGroup,
} from './node-group-decider.js';
export type { NodeGroupDeclaration, NodeGroupEvent } from './node-group-events.js';
export { fullUpdateStrategy, type NodeGroupSpec } from './node-group-spec.js';
export { nodeGroupStatusReason, type Member, type NodeGroupState, type NodeGroupStatus } from './node-group-state.js';
export { reconcileNodeGroup } from './reconcile-node-group.js';
export { updateNodeGroup } from './update-node-group.js';
