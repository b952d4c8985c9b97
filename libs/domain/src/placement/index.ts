export { DEFAULT_PLACEMENT_POLICY } from './filters/index.js';
export * from './explain/index.js';
export { largestRemainder, largestSurplus } from './largest-remainder.js';
export { milli } from './milli.js';
export type {
  AvoidedFor,
  ContainerKind,
  HardTaint,
  HeldContainers,
  HostPort,
  NodeView,
  Placed,
  PlacementPolicy,
  PlacementRequest,
  PlacementRules,
  RequestedNetwork,
  RequestedVolume,
  ScorerName,
  SoftTaint,
  Unschedulable,
} from './model.js';
export { NodeTable, type NodeUse } from './node-table.js';
export * from './attachment-batch.js';
export * from './lent-attachments.js';
export { place } from './place.js';
export { evictingTaint, taintText } from './filters/tolerations.js';
export * from './removal-closing.js';
export * from './standing-violations.js';
export { shareSurplus } from './shares.js';
export {
  reservedOn,
  type AwaitedRemoval,
  type NodeReservation,
  type PlacementEvent,
  type PlacementState,
  type Reservation,
} from './placement-stream.js';
