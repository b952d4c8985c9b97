export * from './node-group-decider.js';
export * from './node-group-events.js';
export * from './node-group-spec.js';
export * from './node-group-state.js';
export * from './member-view.js';
export * from './reconcile-node-group.js';
export * from './update-strategy.js';
export * from './zone-spread.js';
