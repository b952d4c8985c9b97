/**
 * Returns how many of n each of the weights gets: the whole parts of n·w/Σw, and what is left to the largest fractions, the earlier one of
 * equal ones. Nothing for weight 0; all zero when every weight is.
 */
export function largestRemainder(n: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return weights.map(() => 0);
  // whole numbers, so that fractions are compared without errors of binary fractions
  const parts = weights.map((weight, at) => ({ at, whole: Math.floor((n * weight) / sum), rest: (n * weight) % sum }));
  const shares = parts.map(({ whole }) => whole);
  const left = n - shares.reduce((total, share) => total + share, 0);
  const largest = [...parts].sort((a, b) => b.rest - a.rest || a.at - b.at).slice(0, left);
  for (const { at } of largest) shares[at] = (shares[at] ?? 0) + 1;
  return shares;
}

/** Returns the index with the largest surplus over its share among those that have any; the later one of equal ones. Undefined: none has. */
export function largestSurplus(counts: readonly number[], weights: readonly number[], n: number): number | undefined {
  const shares = largestRemainder(n, weights);
  let worst: number | undefined;
  let most = -Infinity;
  counts.forEach((count, at) => {
    const surplus = count - (shares[at] ?? 0);
    if (count === 0 || surplus < most) return;
    worst = at;
    most = surplus;
  });
  return worst;
}
