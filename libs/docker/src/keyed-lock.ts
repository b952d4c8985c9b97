/** Serializes work with the same key, in the order of the calls. */
export class KeyedLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Runs the work after all earlier work with this key, whether that succeeded or failed, and returns its result. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.tails.set(key, mine);
    const forget = () => {
      if (this.tails.get(key) === mine) this.tails.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  }
}
