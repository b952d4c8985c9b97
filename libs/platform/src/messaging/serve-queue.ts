/** Runs the jobs of one `serve`, up to `concurrency` at a time; a limited number waits. */
export class ServeQueue {
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;
  private readonly idle: (() => void)[] = [];

  constructor(
    private readonly concurrency = 256,
    private readonly maxWaiting = 10_000,
  ) {}

  /** Queues a job, which must not reject. Returns false when too many wait already. */
  offer(job: () => Promise<void>): boolean {
    if (this.running < this.concurrency) {
      this.run(job);
      return true;
    }
    if (this.waiting.length >= this.maxWaiting) return false;
    this.waiting.push(job);
    return true;
  }

  /** Resolves when no job runs or waits. */
  async drained(): Promise<void> {
    if (this.running > 0) await new Promise<void>(resolve => this.idle.push(resolve));
  }

  private run(job: () => Promise<void>): void {
    this.running += 1;
    void job().finally(() => {
      this.running -= 1;
      const next = this.waiting.shift();
      if (next) this.run(next);
      else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    });
  }
}
