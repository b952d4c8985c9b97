export { hasCondition } from './condition.js';
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
export { getOrCreate } from './get-or-create.js';
export { diffJson, mergePatch, omitUndefined, type JsonChange } from './json.js';
export { mergeLabels } from './merge-labels.js';
export type {
  OperationCancelRequested,
  OperationEnded,
  OperationStart,
  OperationStatus,
  PlannedOperation,
} from './operation.js';
export { isUuid, stableId } from './stable-id.js';
export type { StreamDefinition } from './stream-definition.js';
export { Upcasters, type Upcaster } from './upcast.js';
