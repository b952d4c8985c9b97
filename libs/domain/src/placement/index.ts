export { DEFAULT_PLACEMENT_POLICY } from './filters.js';
export type { HardTaint, NodeView, Placed, PlacementPolicy, PlacementRequest, Unschedulable } from './model.js';
export { milli, NodeTable } from './node-table.js';
export * from './lent-attachments.js';
export * from './place.js';
export { reservedOn, type NodeReservation, type PlacementEvent, type Reservation } from './placement-stream.js';
