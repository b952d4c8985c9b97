/** How resources that no event brought into the queue are found: all in one call, or by a check of each id. */
export type Resync = (() => void) | { ids(): Iterable<string>; check(id: string): unknown };

/** Ids that one call checks: a fleet of this size is checked completely every time, larger ones take more calls. */
const IDS_PER_CALL = 1_000;

/** Checks all ids round after round, some at a time: the cost of one call does not grow with the fleet. */
export class ResyncRound {
  private remaining: Iterator<string> | undefined;

  constructor(private readonly resync: Resync) {}

  /** Checks every id at once. */
  complete(): void {
    this.remaining = undefined;
    this.check(Infinity);
  }

  /** Checks the next part; after the last part the following call starts from the first id. */
  next(): void {
    this.check(IDS_PER_CALL);
  }

  private check(limit: number): void {
    const { resync } = this;
    if (typeof resync === 'function') return resync();
    const remaining = (this.remaining ??= resync.ids()[Symbol.iterator]());
    for (let checked = 0; checked < limit; checked += 1) {
      const next = remaining.next();
      if (next.done) return void (this.remaining = undefined);
      resync.check(next.value);
    }
  }
}
