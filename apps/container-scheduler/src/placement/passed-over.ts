import { rejectionBackoffMs, type ContainerState, type PlacementRequest } from '@stave/domain';

/** Returns the ids of nodes that the container is not placed on now: they recently had too few resources for it. */
export function nodesToAvoid(
  { recentlyRejectedBy }: Pick<ContainerState, 'recentlyRejectedBy'>,
  nowMs: number,
): readonly string[] {
  return Object.entries(recentlyRejectedBy).flatMap(([nodeId, { times, since }]) =>
    nowMs < Date.parse(since) + rejectionBackoffMs(times) ? [nodeId] : [],
  );
}

/** As {@link nodesToAvoid}, with the node on which the predecessor of a member of a set failed: that is taken where no other one fits. */
export function nodesAvoidedFirst(state: ContainerState, nowMs: number): readonly string[] {
  const { passOver } = state.declared;
  const rejected = nodesToAvoid(state, nowMs);
  return passOver === undefined || rejected.includes(passOver) ? rejected : [...rejected, passOver];
}

/** Returns the request without the node that it only passes over; undefined where it passes over none. */
export function withoutPassedOver(
  request: PlacementRequest,
  state: ContainerState | undefined,
  nowMs: number,
): PlacementRequest | undefined {
  const { avoid = [], ...rest } = request;
  if (!state || !avoid.includes(state.declared.passOver ?? '')) return undefined;
  const others = nodesToAvoid(state, nowMs);
  if (others.length === avoid.length) return undefined;
  return others.length > 0 ? { ...rest, avoid: others } : rest;
}
