export { auditEntry } from './audit.schema.js';
export { policyBacktest, setAttributes, setAutoscaling, setBacktest, setOverrides } from './container-set.requests.js';
export { containerMembers } from './container.requests.js';
export {
  alike,
  closed,
  exact,
  listOf,
  named,
  nullable,
  oneOf,
  schemaName,
  type JsonSchema,
  type Properties,
} from './json-schema.js';
export { messageSchemas, requestMeta } from './message-schemas.js';
export { networkCreate } from './network.requests.js';
export { nodeGroupAutoscaling, shownNodeGroupAutoscaling } from './node-group-autoscaling.js';
export { nodeGroupCreate } from './node-group.requests.js';
export { policyAttachment, policyPatches, policyProperties } from './policy.requests.js';
export * as primitives from './primitives.js';
export { volumeCreate } from './volume.requests.js';
export { projectQuotas } from './quota.requests.js';
export { grantedRole, keyRole, projectMember, resourceRequests, subject } from './resource-requests.js';
