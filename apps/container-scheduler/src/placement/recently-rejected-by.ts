import { rejectionBackoffMs, type ContainerState } from '@stave/domain';

/** Returns the ids of nodes that the container is not placed on now: they recently had too few resources for it. */
export function recentlyRejectedBy({ recentlyRejectedBy }: ContainerState, nowMs: number): readonly string[] {
  return Object.entries(recentlyRejectedBy).flatMap(([nodeId, { times, since }]) =>
    nowMs < Date.parse(since) + rejectionBackoffMs(times) ? [nodeId] : [],
  );
}
