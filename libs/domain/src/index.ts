export * from './access/index.js';
export * from './attribute-resolution/index.js';
export * from './cluster/index.js';
export * from './container/index.js';
export * from './event-versions.js';
export * from './health/index.js';
export * from './kernel/index.js';
// both kernel and placement have one; the kernel's is meant
export type { Refusal } from './kernel/index.js';
export * from './node/index.js';
export * from './node-group/index.js';
export * from './placement/index.js';
export * from './plan/index.js';
export * from './registry/index.js';
export * from './ring/index.js';
export * from './task/index.js';
export * from './template/index.js';
