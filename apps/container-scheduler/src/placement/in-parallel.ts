const PARALLEL = 64;

/** Runs `work` for every item, a bounded number at a time. Rejects with the first error, after the slice that it is in. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < items.length; i += PARALLEL) await Promise.all(items.slice(i, i + PARALLEL).map(work));
}
