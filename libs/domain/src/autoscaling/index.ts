export * from './autoscale-set.js';
export * from './contention.js';
export * from './demand.js';
export * from './grow-node-groups.js';
export * from './node-group-autoscaling.js';
export * from './evaluation-times.js';
export * from './set-autoscaling.js';
export * from './shrink-node-groups.js';
export { simulatedPlacement } from './simulated-placement.js';
