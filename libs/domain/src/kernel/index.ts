export { hasCondition } from './condition.js';
export { accept, refuse, type Decision, type DomainEvent } from './decider.js';
export { diffJson, type JsonChange } from './diff-json.js';
export { getOrCreate } from './get-or-create.js';
export { mergeLabels } from './merge-labels.js';
export { mergePatch } from './merge-patch.js';
export { omitUndefined } from './omit-undefined.js';
export type {
  OperationCancelRequested,
  OperationEnded,
  OperationStart,
  OperationStatus,
  PlannedOperation,
} from './operation.js';
export { brokenRules, conflict, notFound, revisionMismatch, type Problem, type Refusal } from './refusal.js';
export { isUuid, stableId } from './stable-id.js';
export type { StreamDefinition } from './stream-definition.js';
export { Upcasters, type Upcaster } from './upcast.js';
