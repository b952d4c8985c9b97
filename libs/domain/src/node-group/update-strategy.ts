import type { Problem } from '../kernel/refusal.js';

/** A number of nodes, or a share of the count such as "25%". */
export type NodeShare = number | string;

/** How nodes are replaced when their group changes. The default is one node above the count and none unavailable. */
export interface UpdateStrategy {
  readonly maxSurge?: NodeShare;
  readonly maxUnavailable?: NodeShare;
}

export const defaultUpdateStrategy = { maxSurge: 1, maxUnavailable: 0 } as const satisfies UpdateStrategy;

/** Returns the strategy with its defaults filled in. */
export const fullUpdateStrategy = (strategy: UpdateStrategy = {}): Required<UpdateStrategy> => ({
  ...defaultUpdateStrategy,
  ...strategy,
});

const share = (given: NodeShare): number => (typeof given === 'number' ? given : Number(given.replace('%', '')));

/**
 * Returns how many nodes may exist above the count and how many may be unavailable. A share of the count is rounded up for the surge and
 * down for unavailable nodes. Where both are 0, one node may be unavailable, so that the replacement makes progress.
 */
export function updateBounds(
  strategy: UpdateStrategy | undefined,
  count: number,
): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge, maxUnavailable } = fullUpdateStrategy(strategy);
  const nodes = (given: NodeShare, round: (exact: number) => number): number =>
    typeof given === 'number' ? given : round((count * share(given)) / 100);
  const surge = nodes(maxSurge, Math.ceil);
  const unavailable = Math.min(count, nodes(maxUnavailable, Math.floor));
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Returns a problem when the strategy would never replace a node. */
export function strategyProblems(strategy: UpdateStrategy | undefined, pointer: string): readonly Problem[] {
  const { maxSurge, maxUnavailable } = fullUpdateStrategy(strategy);
  if (share(maxSurge) > 0 || share(maxUnavailable) > 0) return [];
  return [{ pointer, code: 'no-progress', detail: 'maxSurge and maxUnavailable may not both be zero' }];
}
