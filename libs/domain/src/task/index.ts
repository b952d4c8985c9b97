export * from './decide-task.js';
export * from './retry-policy.js';
export * from './takeover-state.js';
export * from './takeover-table.js';
export * from './task-events.js';
export * from './task-state.js';
