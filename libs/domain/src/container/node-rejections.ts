import type { ContainerState } from './container-state.js';

const REJECTION_BACKOFF_BASE_MS = 30_000;
const REJECTION_BACKOFF_MAX_MS = 10 * 60_000;

/**
 * Returns the milliseconds for which a node is not considered after it rejected a container for the n-th time in a row. The time
 * doubles with each rejection.
 */
export const rejectionBackoffMs = (times: number): number =>
  Math.min(REJECTION_BACKOFF_MAX_MS, REJECTION_BACKOFF_BASE_MS * 2 ** (times - 1));

export function withRejection(
  { recentlyRejectedBy }: ContainerState,
  nodeId: string,
  since: string,
): ContainerState['recentlyRejectedBy'] {
  return { ...recentlyRejectedBy, [nodeId]: { times: (recentlyRejectedBy[nodeId]?.times ?? 0) + 1, since } };
}
