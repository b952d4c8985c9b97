import { murmur3 } from './murmur3.js';

/** Slots of every ring key. Part of the protocol: changing it moves every resource. */
export const SLOTS = 1024;

/** The slot of a resource: MurmurHash3_x86_32 of its id (seed 0) modulo {@link SLOTS}. The same in every key and release. */
export function slotOf(resourceId: string): number {
  return murmur3(resourceId) & (SLOTS - 1);
}
