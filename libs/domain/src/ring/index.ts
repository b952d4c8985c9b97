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
export { foldGroup, keyToken, parseRingKey, ringKey, type KeyMode } from './ring-key.js';
export {
  RING_STREAM,
  conductorRingStream,
  type ConductorJoined,
  type LiveMember,
  type OfferedDriver,
  type RingEvent,
} from './ring-state.js';
export { RingView, type Holding } from './ring-view.js';
export { SLOTS, nextTable, slotOf, type RingMember, type SlotTable } from './slot-table.js';
