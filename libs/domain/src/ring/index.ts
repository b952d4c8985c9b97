export {
  driverDefaults,
  driverOffer,
  driverVersionOffer,
  flavorProblems,
  manifestOf,
  requiresManager,
  type DriverManifest,
  type DriverOffer,
} from './driver-offer.js';
export { decideRing, type RingCommand } from './membership.js';
export { murmur3 } from './murmur3.js';
export { RING_STREAM, type ConductorJoined, type OfferedDriver, type RingEvent } from './ring-events.js';
export { foldGroup, keyToken, parseRingKey, ringKey, type KeyMode } from './ring-key.js';
export { conductorRingStream, type LiveMember } from './ring-state.js';
export { RingView, type Holding } from './ring-view.js';
export { nextTable, type RingMember, type SlotTable } from './slot-table.js';
export { SLOTS, slotOf } from './slot.js';
