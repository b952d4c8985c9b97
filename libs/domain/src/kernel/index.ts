export {
  accept,
  brokenRules,
  conflict,
  notFound,
  refuse,
  revisionMismatch,
  type Decision,
  type DomainEvent,
  type Problem,
  type Refusal,
} from './decider.js';
export { counted } from './counted.js';
export { firstOf } from './first-of.js';
export * from './get-or-create.js';
export * from './instant.js';
export * from './json.js';
export { truncate } from './listing.js';
export { lowerBound } from './lower-bound.js';
export { mergeLabels } from './merge-labels.js';
export type {
  AbandonedResource,
  OperationCancelRequested,
  OperationEnded,
  OperationStart,
  OperationStatus,
  PlannedOperation,
} from './operation.js';
export * from './stable-id.js';
export type { ResourceStream, StreamDefinition } from './stream-definition.js';
export { NewerEventError, Upcasters, eventVersions, type Upcaster } from './upcast.js';
export * from './observation.js';
