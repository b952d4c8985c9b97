import type { CloudClock } from '../cloud/cloud-clock.js';

interface Waiting {
  readonly until: number;
  readonly resolve: () => void;
}

/** A clock that passes time only when a test says so. */
export class ManualCloudClock implements CloudClock {
  private waiting: Waiting[] = [];

  constructor(private time = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.time;
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ until: this.time + ms, resolve });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** Passes this much time, and lets what waited for it run before it resolves. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      await new Promise(resolve => setImmediate(resolve));
      const next = this.waiting.filter(({ until }) => until <= end).sort((a, b) => a.until - b.until)[0];
      if (!next) break;
      this.waiting = this.waiting.filter(other => other !== next);
      this.time = next.until;
      next.resolve();
    }
    this.time = end;
  }
}
