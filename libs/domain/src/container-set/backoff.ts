import { murmur3 } from '../ring/murmur3.js';
import type { SetBackoff } from './container-set-spec.js';

const UINT32 = 2 ** 32;

/** Returns a number from 0 to below 1 that follows from the id. */
export const shareOfId = (id: string): number => (murmur3(id, 0) >>> 0) / UINT32;

/**
 * Returns the milliseconds for which the successor of a member waits after the k-th failure in a row of its ordinal:
 * min(max, base · 2^(k−1)) · (1 + h/10), where h follows from the id of the member that failed.
 */
export function backoffMs({ baseSeconds, maxSeconds }: SetBackoff, failures: number, memberId: string): number {
  const seconds = Math.min(maxSeconds, baseSeconds * 2 ** (failures - 1));
  return Math.round(seconds * (1 + 0.1 * shareOfId(memberId)) * 1000);
}
