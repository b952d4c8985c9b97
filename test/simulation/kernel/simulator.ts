import type { Profile } from './profile.js';
import { Random } from './random.js';

interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const before = (a: Scheduled, b: Scheduled): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A promise that the product makes was broken in this schedule. */
export class Violation extends Error {
  constructor(
    readonly check: string,
    detail: string,
  ) {
    super(`${check}: ${detail}`);
    this.name = 'Violation';
  }
}

/** One thread, one clock (milliseconds), one queue: what happens follows from the seed alone. */
export class Simulator {
  now = 0;
  /** Off in quiet time. */
  faults = true;
  readonly random: Random;
  readonly schedule: string[] = [];
  private readonly heap: Scheduled[] = [];
  private order = 0;
  private told = '';
  private toldAt = -1;

  constructor(
    seed: number,
    readonly profile: Profile,
    private readonly tracing: boolean,
  ) {
    this.random = new Random(seed);
  }

  /** ISO 8601, as events carry it. */
  get time(): string {
    if (this.toldAt !== this.now) {
      this.toldAt = this.now;
      this.told = new Date(this.now).toISOString();
    }
    return this.told;
  }

  trace(line: () => string): void {
    if (this.tracing) this.schedule.push(`${String(Math.round(this.now)).padStart(7)} ${line()}`);
  }

  after(ms: number, run: () => void): void {
    const entry = { at: this.now + ms, order: this.order++, run };
    const { heap } = this;
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent];
      if (!above || !before(entry, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = entry;
  }

  /** Runs what is due up to a moment. */
  runUntil(end: number): void {
    for (let next = this.heap[0]; next && next.at <= end; next = this.heap[0]) {
      this.pop();
      this.now = next.at;
      next.run();
    }
    this.now = end;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let i = 0;
    for (;;) {
      const left = heap[2 * i + 1];
      const right = heap[2 * i + 2];
      const child = right && left && before(right, left) ? 2 * i + 2 : 2 * i + 1;
      const entry = heap[child];
      if (!entry || !before(entry, last)) break;
      heap[i] = entry;
      i = child;
    }
    heap[i] = last;
  }
}
