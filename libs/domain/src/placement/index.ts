export * from './model.js';
export * from './place.js';
export * from './placement-decider.js';
export * from './placement-stream.js';
export * from './policy.js';
export { milli } from './node-table.js';
