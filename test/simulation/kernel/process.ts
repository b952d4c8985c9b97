import type { Simulator } from './simulator.js';

/**
 * A simulated operating system process with its own monotonic clock. Its timers and running work are lost when it is
 * killed, and wait while it is frozen.
 */
export class Process {
  up = false;
  private incarnation = 0;
  private frozenUntil = 0;
  private waiting: (() => void)[] = [];
  private readonly offset: number;
  private readonly drift: number;
  private readonly endings = new Set<() => void>();

  constructor(
    readonly name: string,
    readonly sim: Simulator,
    private readonly boot: () => Promise<unknown>,
  ) {
    this.offset = sim.random.int(0, 1_000_000);
    this.drift = 1 + (sim.random.next() - 0.5) * 0.01;
  }

  /**
   * Returns milliseconds of the monotonic clock, which has its own zero and up to half a percent of drift, and
   * continues during a freeze.
   */
  clock(): number {
    return this.offset + this.sim.now * this.drift;
  }

  /** The number of starts of this process. No callback of an earlier life runs in a later one. */
  get life(): number {
    return this.incarnation;
  }

  get frozen(): boolean {
    return this.frozenUntil > this.sim.now;
  }

  /** Runs `run` after `ms` on the clock of the process, unless this life has ended. */
  after(ms: number, run: () => void): void {
    const life = this.incarnation;
    this.sim.after(ms / this.drift, () => this.enter(life, run));
  }

  /** Returns a function that runs `run` in this life of the process: never after its end, and not while it is frozen. */
  entrance(): (run: () => void) => void {
    const life = this.incarnation;
    return run => this.enter(life, run);
  }

  onEnd(clean: () => void): void {
    this.endings.add(clean);
  }

  start(): void {
    if (this.up) return;
    this.up = true;
    this.incarnation++;
    this.sim.note(() => `${this.name} starts`);
    const enter = this.entrance();
    this.sim.enter(this, () => void this.boot().catch((error: unknown) => enter(() => this.fail(error))));
  }

  /** Ends the process after an error; it is started again, as by a supervisor. */
  fail(error: unknown): void {
    this.sim.note(() => `${this.name} fails: ${String(error)}`);
    this.kill();
    this.sim.after(500, () => this.start());
  }

  kill(): void {
    if (!this.up) return;
    this.up = false;
    this.frozenUntil = 0;
    this.waiting = [];
    this.sim.note(() => `${this.name} is killed`);
    for (const clean of this.endings) clean();
    this.endings.clear();
  }

  /** Freezes the process for `ms`, as SIGSTOP and SIGCONT do. */
  freeze(ms: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.sim.now + ms);
    this.sim.after(ms, () => this.wake());
    this.sim.note(() => `${this.name} is frozen for ${ms} ms`);
  }

  thaw(): void {
    this.frozenUntil = Math.min(this.frozenUntil, this.sim.now);
    this.wake();
  }

  private wake(): void {
    if (this.frozen) return;
    for (const run of this.waiting) this.sim.after(0, run);
    this.waiting = [];
  }

  private enter(life: number, run: () => void): void {
    if (!this.up || life !== this.incarnation) return;
    if (this.frozen) this.waiting.push(() => this.enter(life, run));
    else this.sim.enter(this, run);
  }
}
