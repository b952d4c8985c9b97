import type { LeaderTask } from './leader-tasks.js';

const RESYNC_MS = 15_000;
/** Parts that one call checks: a fleet of this size is checked completely every time, larger ones take more calls. */
const PARTS_PER_CALL = 2_500;
/** Milliseconds of one turn of the event loop in which new work is begun; then requests have their turn. */
const TURN_MS = 5;

/** Finds resources that no event brought into the queue, by a check of each id. */
export interface Resync {
  ids(): Iterable<string>;
  needsWork(id: string): boolean;
  /** Returns how many parts are examined for an id; default: 1. */
  readonly parts?: (id: string) => number;
}

export interface ReconcileQueueOptions {
  /**
   * Brings one resource closer to its specification. Resolves to the milliseconds after which it is called again, or to undefined; when
   * it rejects, it is called again after `retryMs`.
   */
  readonly work: (id: string) => Promise<number | undefined | void>;
  readonly concurrency: number;
  readonly onError: (id: string, error: unknown) => void;
  /** Default 500. */
  readonly retryMs?: number;
  /**
   * Milliseconds for which a resource rests after each call: marks that arrive meanwhile cause one call afterwards. So calls whose cost
   * grows with the resource take a bounded share of the time. Default: none.
   */
  readonly restMs?: (id: string) => number;
  /** Default: only ids that were marked are reconciled. */
  readonly resync?: Resync;
}

/**
 * Reconciles the resources whose ids are marked: each id is in the queue once, and is never reconciled twice at the same time. While the
 * queue runs, it checks from time to time which ids events have missed.
 */
export class ReconcileQueue implements LeaderTask {
  private readonly waiting = new Set<string>();
  /** Steps on through those that wait: a new iterator would step over every id that was deleted before it each time. */
  private next = this.waiting.values();
  private readonly running = new Set<string>();
  /** The ids that rest, and whether they were marked meanwhile. */
  private readonly resting = new Map<string, boolean>();
  /** How many marks of an id wait for their time. */
  private readonly delayed = new Map<string, number>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly idle: (() => void)[] = [];
  private active = false;
  /** The ids of the current round that were not checked yet. */
  private remaining: Iterator<string> | undefined;
  /** Parts that earlier calls have checked beyond their limit. */
  private excess = 0;
  private resyncTimer: NodeJS.Timeout | undefined;
  private firstRound: NodeJS.Immediate | undefined;
  /** When work was first begun in this turn of the event loop. */
  private turnBegan: number | undefined;
  private isPostponed = false;

  constructor(private readonly options: ReconcileQueueOptions) {}

  /** The number of ids that wait, rest or run. */
  get size(): number {
    return this.waiting.size + this.delayed.size + this.resting.size + this.running.size;
  }

  mark(id: string): void {
    if (this.resting.has(id)) return void this.resting.set(id, true);
    this.waiting.add(id);
    this.pump();
  }

  /** Returns whether everything that the id was marked for is done. A queue that does not run drops the mark: another replica did the work. */
  release(id: string): boolean {
    if (!this.active) this.waiting.delete(id);
    const isMarked = this.waiting.has(id) || this.delayed.has(id) || this.resting.get(id) === true;
    return !isMarked && !this.running.has(id);
  }

  /** Marks the id after the delay. */
  markLater(id: string, delayMs: number): void {
    const others = this.delayed.get(id) ?? 0;
    this.delayed.set(id, others + 1);
    this.after(delayMs, () => {
      const left = (this.delayed.get(id) ?? 1) - 1;
      if (left === 0) this.delayed.delete(id);
      else this.delayed.set(id, left);
      this.mark(id);
    });
  }

  start(): void {
    this.active = true;
    this.remaining = undefined;
    this.checkAll();
    this.pump();
    this.resyncTimer = setInterval(() => this.resync(), RESYNC_MS).unref();
  }

  /** Starts nothing new; resolves when nothing runs. */
  async stop(): Promise<void> {
    this.active = false;
    clearInterval(this.resyncTimer);
    clearImmediate(this.firstRound);
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    for (const id of this.delayed.keys()) this.waiting.add(id);
    this.delayed.clear();
    for (const [id, isMarked] of this.resting) if (isMarked) this.waiting.add(id);
    this.resting.clear();
    if (this.running.size > 0) await new Promise<void>(resolve => this.idle.push(resolve));
  }

  /** Checks every id once, in as many turns as it takes. */
  private checkAll(): void {
    this.excess = 0;
    this.resync();
    if (this.remaining) this.firstRound = setImmediate(() => this.checkAll());
  }

  /** Checks the next ids, so that the cost of one call does not grow with the fleet. After the last id the following call starts from the first. */
  private resync(): void {
    const { resync } = this.options;
    if (!resync) return;
    const remaining = (this.remaining ??= resync.ids()[Symbol.iterator]());
    let left = PARTS_PER_CALL - this.excess;
    for (this.excess = 0; left > 0;) {
      const next = remaining.next();
      if (next.done) return void (this.remaining = undefined);
      left -= Math.max(1, resync.parts?.(next.value) ?? 1);
      if (resync.needsWork(next.value)) this.mark(next.value);
    }
    this.excess = -left;
  }

  private pump(): void {
    while (this.active && this.running.size < this.options.concurrency) {
      if (this.isTurnOver()) return this.postpone();
      const { value: id, done } = this.next.next();
      if (done) return void (this.next = this.waiting.values());
      if (this.running.has(id)) continue;
      this.waiting.delete(id);
      void this.run(id);
    }
  }

  private isTurnOver(): boolean {
    const now = performance.now();
    if (this.turnBegan !== undefined) return now - this.turnBegan > TURN_MS;
    this.turnBegan = now;
    setImmediate(() => (this.turnBegan = undefined));
    return false;
  }

  /** Continues in the next turn. */
  private postpone(): void {
    if (this.isPostponed) return;
    this.isPostponed = true;
    setImmediate(() => {
      this.isPostponed = false;
      this.pump();
    });
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
      this.rest(id);
      // it may have been passed over while it ran
      if (this.waiting.delete(id)) this.waiting.add(id);
      if (this.running.size === 0) for (const resolve of this.idle.splice(0)) resolve();
      this.pump();
    }
  }

  private rest(id: string): void {
    const restMs = this.options.restMs?.(id) ?? 0;
    if (restMs <= 0 || !this.active) return;
    this.resting.set(id, this.waiting.delete(id));
    this.after(restMs, () => {
      const isMarked = this.resting.get(id);
      this.resting.delete(id);
      if (isMarked) this.mark(id);
    });
  }

  private after(delayMs: number, call: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      call();
    }, delayMs);
    timer.unref();
    this.timers.add(timer);
  }
}
