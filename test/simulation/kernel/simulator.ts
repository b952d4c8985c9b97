import { AsyncLocalStorage } from 'node:async_hooks';
import type { Process } from './process.js';
import type { Profile } from './profile.js';
import { Random } from './random.js';
import type { Script } from './script.js';
import { VirtualTime } from './virtual-time.js';

/** A promise of the product that a schedule broke. */
export class Violation extends Error {
  constructor(
    readonly check: string,
    detail: string,
  ) {
    super(`${check}: ${detail}`);
    this.name = 'Violation';
  }
}

/** Shared by all schedules, because every storage that was ever used slows down each promise. */
const processes = new AsyncLocalStorage<Process | undefined>();

/** The kernel of one schedule: virtual time, seeded random numbers, the trace, and the current process. */
export class Simulator {
  /** Whether messages, processes and stores may fail. */
  faults = true;
  readonly random: Random;
  readonly trace: string[] = [];
  /** Directs the schedule while faults are on. */
  script: Script | undefined;
  /** The first broken promise. */
  violation: Violation | undefined;
  private readonly time = new VirtualTime();

  constructor(
    readonly seed: number,
    readonly profile: Profile,
    readonly tracing: boolean,
  ) {
    this.random = new Random(seed);
  }

  /** The process whose code runs, also after an `await` of an answer from outside of it. */
  get current(): Process | undefined {
    return processes.getStore();
  }

  /** Runs `run` and its asynchronous continuations as code of this process. */
  enter(process: Process, run: () => void): void {
    processes.run(process, run);
  }

  /** The script while faults are on. */
  get directed(): Script | undefined {
    return this.faults ? this.script : undefined;
  }

  get now(): number {
    return this.time.now;
  }

  note(line: () => string): void {
    if (this.tracing) this.trace.push(`${String(Math.round(this.now)).padStart(7)} ${line()}`);
  }

  /** Runs `run` after `ms`, outside of every process. */
  after(ms: number, run: () => void): void {
    this.time.after(ms, () => processes.run(undefined, run));
  }

  /** Returns true with this probability while faults are on, and false otherwise. */
  happens(probability: number): boolean {
    return this.faults && this.random.chance(probability);
  }

  broken(check: string, detail: string): void {
    this.note(() => `BROKEN ${check}: ${detail}`);
    this.violation ??= new Violation(check, detail);
  }

  /** Runs all timers up to `end`. Throws the first Violation. */
  async runUntil(end: number): Promise<void> {
    await this.time.runUntil(end);
    if (this.violation) throw this.violation;
  }

  close(): void {
    this.time.close();
  }
}
