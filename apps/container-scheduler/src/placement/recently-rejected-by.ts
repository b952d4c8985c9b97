import { rejectionBackoffMs, type ContainerState } from '@stave/domain';

/** Ids of the nodes that are left alone at this time, because they had no room for the container after all. */
export function recentlyRejectedBy({ recentlyRejectedBy }: ContainerState, nowMs: number): readonly string[] {
  return Object.entries(recentlyRejectedBy).flatMap(([nodeId, { times, since }]) =>
    nowMs < Date.parse(since) + rejectionBackoffMs(times) ? [nodeId] : [],
  );
}
