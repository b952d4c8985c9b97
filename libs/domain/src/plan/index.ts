export * from './group-steps.js';
export * from './ideal-group.js';
export * from './plan.js';
export * from './plan-cluster.js';
export * from './plan-group.js';
export * from './plan-unit.js';
