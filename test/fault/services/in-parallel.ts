/** Does the work for every item, at most `width` at a time, in order. After the first error nothing is begun; rejects with it once nothing runs. */
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
