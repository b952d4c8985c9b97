/** How many streams are read at a time. */
export const HISTORY_READS = 16;

/** Does the work for all, so many at a time; answers in their order. */
export async function inBatches<T, R>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = [];
  for (let i = 0; i < all.length; i += atOnce) done.push(...(await Promise.all(all.slice(i, i + atOnce).map(work))));
  return done;
}
