export interface ReconcileQueueOptions {
  /**
   * Brings one resource closer to its specification. Resolves to the milliseconds after which it is called again, or to undefined; when
   * it rejects, it is called again after `retryMs`.
   */
  readonly work: (id: string) => Promise<number | undefined | void>;
  readonly concurrency: number;
  readonly onError: (id: string, error: unknown) => void;
  readonly retryMs?: number;
}

/** Reconciles the resources whose ids are marked: each id is in the queue once, and is never reconciled twice at the same time. */
export class ReconcileQueue {
  private readonly waiting = new Set<string>();
  private readonly running = new Set<string>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly idle: (() => void)[] = [];
  private active = false;

  constructor(private readonly options: ReconcileQueueOptions) {}

  get size(): number {
    return this.waiting.size + this.running.size;
  }

  mark(id: string): void {
    this.waiting.add(id);
    this.pump();
  }

  /** Marks the id after the delay. */
  markLater(id: string, delayMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.mark(id);
    }, delayMs);
    timer.unref();
    this.timers.add(timer);
  }

  start(): void {
    this.active = true;
    this.pump();
  }

  /** Starts nothing new; resolves when nothing runs. */
  async stop(): Promise<void> {
    this.active = false;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    if (this.running.size > 0) await new Promise<void>(resolve => this.idle.push(resolve));
  }

  private pump(): void {
    if (!this.active) return;
    for (const id of this.waiting) {
      if (this.running.size >= this.options.concurrency) return;
      if (this.running.has(id)) continue;
      this.waiting.delete(id);
      void this.run(id);
    }
  }

  private async run(id: string): Promise<void> {
    this.running.add(id);
    try {
      const againMs = await this.options.work(id);
      if (typeof againMs === 'number') this.markLater(id, againMs);
    } catch (error) {
      this.options.onError(id, error);
      this.markLater(id, this.options.retryMs ?? 500);
    } finally {
      this.running.delete(id);
      if (this.running.size === 0) for (const resolve of this.idle.splice(0)) resolve();
      this.pump();
    }
  }
}
