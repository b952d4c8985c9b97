export { awaitedGroups } from './awaited-groups.js';
export * from './evolve-node-group.js';
export * from './group-actions.js';
export { groupDeciderOf, type GroupDecider } from './group-deciders.js';
export { stepOperation } from './group-facts.js';
export type { ReconcileInput } from './group-facts.js';
export { countedMembers, countOutdated, currentBuild, isStaying, outdatedMembers } from './group-membership.js';
export { groupRolloutProgress, isRollingOut, nodesToRenew } from './group-operations.js';
export type { GroupPolicies } from './group-policies.js';
export { isGrowing } from './growth.js';
export * from './member-view.js';
export { changedOptions, groupChanges, type NodeGroupChanges, type NodeGroupPatch } from './node-group-changes.js';
export * from './node-group-decider.js';
export type { NodeGroupDeclaration, NodeGroupEvent, ScaleRefusalCode } from './node-group-events.js';
export {
  fullUpdateStrategy,
  isNamedAlone,
  type FlavorSpec,
  type NodeGroupSpec,
  type WantedFlavor,
} from './node-group-spec.js';
export {
  ROLLING_REPLACEMENT,
  hasLossSuspected,
  nodeGroupStatusReason,
  type Member,
  type NodeGroupState,
  type NodeGroupStatus,
} from './node-group-state.js';
export { endNodeRelease } from './node-release.js';
export * from './reconcile-node-group.js';
export * from './scale-node-group.js';
export * from './taken-nodes.js';
export * from './update-node-group.js';
export { spreadOverZones } from './zone-spread.js';
