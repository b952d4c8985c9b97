/** What each of many holders has of something that is limited, for each and for all together; 0: no limit. It remembers only who has something. */
export class Shares {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly limitOfOne: number,
    private readonly limitOfAll: number,
  ) {}

  /** Returns whose limit is reached; undefined while the holder may take more. */
  full(holder: string): 'key' | 'all' | undefined {
    if (this.limitOfOne > 0 && (this.held.get(holder) ?? 0) >= this.limitOfOne) return 'key';
    return this.limitOfAll > 0 && this.total >= this.limitOfAll ? 'all' : undefined;
  }

  /** The number of holders that have something. */
  get holders(): number {
    return this.held.size;
  }

  /** Returns a function that gives it back, once. */
  take(holder: string, amount: number): () => void {
    this.add(holder, amount);
    let isHeld = true;
    return () => {
      if (isHeld) this.add(holder, -amount);
      isHeld = false;
    };
  }

  private add(holder: string, amount: number): void {
    const held = (this.held.get(holder) ?? 0) + amount;
    this.total += amount;
    if (held === 0) this.held.delete(holder);
    else this.held.set(holder, held);
  }
}
