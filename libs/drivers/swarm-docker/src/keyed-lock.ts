/** Work under one key happens one after the other, in the order of the calls; other keys are not held up. */
export class KeyedLock {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** The work's own outcome. A failure does not hold up those who wait. */
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
