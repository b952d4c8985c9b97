import { spurnedForMs, type ContainerState } from '@stave/domain';

/** Ids of the nodes that are left alone at this time, because they had no room for the container after all. */
export function spurnedBy({ spurned }: ContainerState, nowMs: number): readonly string[] {
  return Object.entries(spurned).flatMap(([nodeId, { times, since }]) =>
    nowMs < Date.parse(since) + spurnedForMs(times) ? [nodeId] : [],
  );
}
