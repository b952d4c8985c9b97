export * from './cluster/index.js';
export * from './kernel/index.js';
export * from './node/index.js';
export * from './node-group/index.js';
export * from './registry/index.js';
export * from './ring/index.js';
export * from './task/index.js';
