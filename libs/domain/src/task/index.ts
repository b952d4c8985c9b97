export * from './decide-task.js';
export * from './retry-policy.js';
export * from './task-events.js';
export * from './task-state.js';
