export * from './attributes.js';
export * from './generated-name.js';
export * from './layers.js';
export * from './merge-groups.js';
export * from './resolve-cluster.js';
export * from './resolve-node-group.js';
