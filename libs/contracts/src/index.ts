export * from './commands.js';
export * from './conductor.js';
export * from './deadline.js';
export * from './envelope.js';
export * from './key-checksum.js';
export type { PublishedEvents } from './published-events.js';
export * from './health.js';
export * from './subjects.js';
export * from './task.js';
