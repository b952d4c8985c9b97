export * from './volume-decider.js';
export type { ReclaimPolicy, VolumeDeclaration, VolumeEvent } from './volume-events.js';
export { volumeStream, type VolumeState, type VolumeStatus, type VolumeTaskKind } from './volume-state.js';
