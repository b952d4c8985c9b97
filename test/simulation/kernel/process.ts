import type { Simulator } from './simulator.js';

/** Runs its callbacks one at a time; may be killed (they are lost) or stopped for a while (they wait). */
export class Process {
  up = true;
  private incarnation = 0;
  private frozenUntil = 0;
  private readonly offset: number;
  private readonly drift: number;

  constructor(
    readonly name: string,
    readonly sim: Simulator,
    private readonly boot: () => void,
  ) {
    this.offset = sim.random.int(0, 1_000_000);
    this.drift = 1 + (sim.random.next() - 0.5) * 0.01;
  }

  /** Milliseconds on its own monotonic clock: another zero and half a percent of drift; runs on while it is stopped. */
  clock(): number {
    return this.offset + this.sim.now * this.drift;
  }

  /** Which of its lives this is; nothing of an earlier one reaches a later one. */
  get life(): number {
    return this.incarnation;
  }

  get frozen(): boolean {
    return this.frozenUntil > this.sim.now;
  }

  /** After so long on its own clock, in this life of the process only. */
  after(ms: number, run: () => void): void {
    const { incarnation } = this;
    this.sim.after(ms / this.drift, () => this.enter(incarnation, run));
  }

  /** Something reaches it from outside: lost when it is down, waits when it is stopped. */
  deliver(run: () => void): void {
    this.enter(this.incarnation, run);
  }

  start(): void {
    this.up = true;
    this.incarnation++;
    this.sim.trace(() => `${this.name} starts`);
    this.boot();
  }

  kill(): void {
    if (!this.up) return;
    this.up = false;
    this.frozenUntil = 0;
    this.sim.trace(() => `${this.name} is killed`);
  }

  /** SIGSTOP, and SIGCONT after so long. */
  freeze(ms: number): void {
    this.frozenUntil = Math.max(this.frozenUntil, this.sim.now + ms);
    this.sim.trace(() => `${this.name} stops for ${ms} ms`);
  }

  thaw(): void {
    this.frozenUntil = Math.min(this.frozenUntil, this.sim.now);
  }

  private enter(incarnation: number, run: () => void): void {
    if (!this.up || incarnation !== this.incarnation) return;
    const wait = this.frozenUntil - this.sim.now;
    if (wait > 0) this.sim.after(wait, () => this.enter(incarnation, run));
    else run();
  }
}
