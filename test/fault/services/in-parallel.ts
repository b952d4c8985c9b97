/**
 * Runs the work for every item in order, at most `width` at a time. After the first error it starts no further item,
 * waits for the running ones, and rejects with that error.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.map((item, index) => ({ item, index })).values();
  const errors: unknown[] = [];
  const lanes = Array.from({ length: width }, async () => {
    for (const { item, index } of queue) {
      if (errors.length > 0) return;
      await work(item, index).catch((error: unknown) => void errors.push(error));
    }
  });
  await Promise.all(lanes);
  if (errors.length > 0) throw errors[0];
}
