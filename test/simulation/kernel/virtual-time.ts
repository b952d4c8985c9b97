import { install, type Clock } from '@sinonjs/fake-timers';

/** The wall-clock time at which every schedule starts. */
export const START = Date.parse('2026-01-01T00:00:00.000Z');

const { setImmediate: nextTurn } = globalThis;

/** Resolves when every pending microtask has run. Schedules never wait for real input or output. */
const drained = (): Promise<void> => new Promise(resolve => nextTurn(resolve));

interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const isBefore = (a: Scheduled, b: Scheduled): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/**
 * A virtual clock in milliseconds since the start of the schedule, which `Date` follows. The continuations of a timer
 * run before the next timer. The queue is a binary heap, because the timers of the library are several times slower for
 * tens of thousands of timers.
 */
export class VirtualTime {
  now = 0;
  private readonly date: Clock = install({ now: START, toFake: ['Date'] });
  private readonly heap: Scheduled[] = [];
  private order = 0;

  after(ms: number, run: () => void): void {
    const entry = { at: this.now + Math.max(0, ms), order: this.order++, run };
    const { heap } = this;
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(entry, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = entry;
  }

  /** Runs all timers up to `end`. */
  async runUntil(end: number): Promise<void> {
    await drained();
    for (let next = this.heap[0]; next && next.at <= end; next = this.heap[0]) {
      this.pop();
      this.moveTo(next.at);
      next.run();
      await drained();
    }
    this.moveTo(end);
  }

  close(): void {
    this.date.uninstall();
  }

  private moveTo(time: number): void {
    this.now = time;
    this.date.now = START + Math.floor(time);
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let i = 0;
    for (;;) {
      const left = heap[2 * i + 1];
      const right = heap[2 * i + 2];
      const child = right && left && isBefore(right, left) ? 2 * i + 2 : 2 * i + 1;
      const entry = heap[child];
      if (!entry || !isBefore(entry, last)) break;
      heap[i] = entry;
      i = child;
    }
    heap[i] = last;
  }
}
