export * from './cluster-template-decider.js';
export * from './node-group-template-decider.js';
export * from './template-events.js';
export * from './template-rules.js';
export * from './template-sources.js';
export * from './template-state.js';
