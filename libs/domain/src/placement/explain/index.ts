export { explain, refusalsOn } from './explain.js';
export type { ExplainInput, Explanation, GrowableGroup, Growth, RemedyAction, VerifiedRemedy } from './model.js';
