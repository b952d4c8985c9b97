export * from './driver-offer.js';
export * from './driver-rules.js';
export * from './named-flavor-patch.js';
export { decideRing, type RingCommand } from './membership.js';
export { murmur3 } from './murmur3.js';
export { foldGroup, groupToken, keyToken, parseRingKey, ringKey, type KeyMode } from './ring-key.js';
export { RING_STREAM, conductorRingStream, type LiveMember, type OfferedDriver, type RingEvent } from './ring-state.js';
export * from './ring-view.js';
export { SLOTS, nextTable, slotOf, type RingMember, type SlotTable } from './slot-table.js';
