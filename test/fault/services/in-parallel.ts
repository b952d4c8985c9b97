/** Does the work for every item, at most `width` at a time, in order. Rejects with the first error, once nothing runs. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.map((item, index) => ({ item, index })).values();
  const lanes = Array.from({ length: width }, async () => {
    for (const { item, index } of queue) await work(item, index);
  });
  const failed = (await Promise.allSettled(lanes)).find(lane => lane.status === 'rejected');
  if (failed) throw failed.reason;
}
