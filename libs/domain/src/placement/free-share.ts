/** Returns the share of a capacity that is free after a request: 1 for an empty node, 0 where there is no capacity. */
export const freeShare = (free = 0, wanted: number, capacity = 0): number =>
  capacity > 0 ? Math.max(0, (free - wanted) / capacity) : 0;
