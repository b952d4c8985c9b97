export { shownRelease, statusUntilReleased } from './awaited-release.js';
export * from './effective-policies.js';
export * from './policy-bindings.js';
export { policyEffects } from './policy-effects.js';
export * from './placement-rules.js';
export * from './policy-types.js';
export * from './policy.js';
export * from './set-policies.js';
