export * from './template-decider.js';
export { immutableAttributesOf, normalizedMarks } from './template-rules.js';
export * from './template-sources.js';
export * from './template-state.js';
