export * from './node-decider.js';
export * from './node-events.js';
export * from './node-state.js';
export { nodeStream } from './evolve-node.js';
export * from './group-requests.js';
export * from './classify-node-unit.js';
export * from './observe-node.js';
