/** How what a queue may have missed is found: all in one call, or by a look at each id. */
export type Resync = (() => void) | { ids(): Iterable<string>; look(id: string): unknown };

/** Every 15 s; a fleet of so many has a look at each of its resources each time, larger ones take more rounds. */
const AT_ONCE = 1_000;

/** Goes round all ids again and again, so many at a time: what the safety net costs does not grow with the fleet. */
export class ResyncRound {
  private rest: Iterator<string> | undefined;

  constructor(private readonly resync: Resync) {}

  /** Everything, at once. */
  whole(): void {
    this.rest = undefined;
    this.look(Infinity);
  }

  /** The next part; at the end it begins anew with the next call. */
  goOn(): void {
    this.look(AT_ONCE);
  }

  private look(most: number): void {
    const { resync } = this;
    if (typeof resync === 'function') return resync();
    const rest = (this.rest ??= resync.ids()[Symbol.iterator]());
    for (let looked = 0; looked < most; looked += 1) {
      const next = rest.next();
      if (next.done) return void (this.rest = undefined);
      resync.look(next.value);
    }
  }
}
