export * from './template-events.js';
export * from './template-sources.js';
export * from './template-state.js';
