/** Returns a function whose calls share one computation while it runs: many callers at once cost as much as one. */
export function sharedResult<T>(compute: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= compute().finally(() => {
      running = undefined;
    }));
}
