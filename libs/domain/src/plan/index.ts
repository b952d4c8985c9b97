export * from './plan-cluster.js';
export {
  failedNodesIn,
  planGroup,
  unsettledGroup,
  type GroupEffect,
  type GroupPlanInput,
  type PlanParts,
} from './plan-group.js';
export * from './plan-unit.js';
export type { Plan, PlanStep, PlannedChange, PlannedEvent } from './plan.js';
export * from './plan-container-set.js';
