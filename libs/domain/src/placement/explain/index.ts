export { explain, refusalsOn } from './explain.js';
export { REMEDY_SEARCH_MS } from './search-time.js';
export type { ExplainInput, Explanation, GrowableGroup, Growth, RemedyAction, VerifiedRemedy } from './model.js';
