interface Waiter {
  readonly position: number;
  readonly isReady: () => boolean;
  readonly resolve: (reached: boolean) => void;
}

/** Calls that wait, each for a limited time, until a position is reached. */
export class PositionWaiters {
  private readonly waiters = new Set<Waiter>();

  get size(): number {
    return this.waiters.size;
  }

  /** Resolves to true when `reached` is called with this position or a later one, while `isReady` holds, within the time. */
  wait(position: number, timeoutMs: number, isReady = (): boolean => true): Promise<boolean> {
    return new Promise(resolve => {
      const end = (reached: boolean): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { position, isReady, resolve: end };
      const timer = setTimeout(() => end(false), timeoutMs);
      this.waiters.add(waiter);
    });
  }

  reached(position: number): void {
    for (const waiter of this.waiters) if (waiter.position <= position && waiter.isReady()) waiter.resolve(true);
  }
}
