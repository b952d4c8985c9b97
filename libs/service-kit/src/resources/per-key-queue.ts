/** Runs the work of one key in the order of the calls, one at a time; the work of different keys runs concurrently. */
export class PerKeyQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as the work does. A failure does not stop the work that follows. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const result = before ? before.then(work) : work();
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (this.last.get(key) === settled) this.last.delete(key);
      });
    this.last.set(key, settled);
    return result;
  }
}
