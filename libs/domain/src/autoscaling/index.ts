export * from './autoscale-set.js';
export * from './contention.js';
export * from './demand.js';
export * from './set-autoscaling.js';
