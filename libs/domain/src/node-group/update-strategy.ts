import type { Problem } from '../kernel/refusal.js';

/** A number of nodes, or a share of the count such as "25%". */
export type NodeShare = number | string;

/** How nodes are replaced when their group changes. What is not given is the default: one more than the count, none missing. */
export interface UpdateStrategy {
  readonly maxSurge?: NodeShare;
  readonly maxUnavailable?: NodeShare;
}

export const defaultUpdateStrategy = { maxSurge: 1, maxUnavailable: 0 } as const satisfies UpdateStrategy;

/** With its defaults. */
export const fullUpdateStrategy = (strategy: UpdateStrategy = {}): Required<UpdateStrategy> => ({
  ...defaultUpdateStrategy,
  ...strategy,
});

const share = (given: NodeShare): number => (typeof given === 'number' ? given : Number(given.replace('%', '')));

/**
 * In nodes: how many there may be beyond the count, and how many may be missing from it. A share of the count is rounded up for the surge
 * and down for what may be missing; where that leaves both at nothing, one may be missing, so that it continues.
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

/** A strategy that would never replace a node. */
export function strategyProblems(strategy: UpdateStrategy | undefined, pointer: string): readonly Problem[] {
  const { maxSurge, maxUnavailable } = fullUpdateStrategy(strategy);
  if (share(maxSurge) > 0 || share(maxUnavailable) > 0) return [];
  return [{ pointer, code: 'no-progress', detail: 'maxSurge and maxUnavailable may not both be zero' }];
}
