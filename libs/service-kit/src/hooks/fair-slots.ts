interface Waiting {
  readonly start: () => void;
  readonly fail: (reason: Error) => void;
}

/**
 * Lets a limited number of works run at the same time. Nobody has more than half of the places, and the next free one goes to the waiting
 * owner who has the fewest, so many works of one owner do not keep those of another one waiting.
 */
export class FairSlots {
  private readonly running = new Map<string, number>();
  /** In the order in which owners were served last: the first one has waited longest. */
  private readonly waiting = new Map<string, Waiting[]>();
  private total = 0;
  private ended: Error | undefined;

  constructor(private readonly limit: number) {}

  /** Runs the work of the owner in its turn. Rejects as the work does, or with the reason of `end`. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    await this.place(owner);
    try {
      return await work();
    } finally {
      this.add(owner, -1);
      this.startNext();
    }
  }

  /** Rejects what waits, and everything later. */
  end(reason: Error): void {
    this.ended = reason;
    for (const queue of this.waiting.values()) for (const { fail } of queue) fail(reason);
    this.waiting.clear();
  }

  private place(owner: string): Promise<void> {
    return new Promise((start, fail) => {
      if (this.ended) return fail(this.ended);
      const queue = this.waiting.get(owner) ?? [];
      queue.push({ start, fail });
      this.waiting.set(owner, queue);
      this.startNext();
    });
  }

  private startNext(): void {
    if (this.total >= this.limit) return;
    const share = Math.ceil(this.limit / 2);
    let next: string | undefined;
    for (const owner of this.waiting.keys())
      if (this.of(owner) < share && (next === undefined || this.of(owner) < this.of(next))) next = owner;
    if (next === undefined) return;
    const queue = this.waiting.get(next) ?? [];
    this.waiting.delete(next);
    const first = queue.shift();
    if (queue.length > 0) this.waiting.set(next, queue);
    this.add(next, 1);
    first?.start();
  }

  private of(owner: string): number {
    return this.running.get(owner) ?? 0;
  }

  private add(owner: string, more: number): void {
    const now = this.of(owner) + more;
    this.total += more;
    if (now === 0) this.running.delete(owner);
    else this.running.set(owner, now);
  }
}
