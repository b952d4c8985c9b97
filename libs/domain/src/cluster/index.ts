export * from './cluster-decider.js';
export * from './cluster-events.js';
export * from './cluster-state.js';
export * from './reconcile-cluster.js';
