import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { ClaimReply } from '@stave/contracts';

const WINDOW_MS = 50;
const BUSY = 0.9;
const COMMANDS_PER_TASK = 4;

/** How busy a process is. */
export interface LoadMeter {
  /** Monotonic milliseconds. */
  now(): number;
  /** Returns which part of the time since the last call the event loop worked or waited for a processor, 0 to 1. */
  utilization(): number;
}

/** Tasks for a conductor; `nextInMs` is 0 when there are more than it may get now. */
export type PickedTasks = { readonly ids: string[] } & Pick<ClaimReply, 'nextInMs' | 'heldBack'>;

/**
 * Measures this process. Where services share processors, each may wait for one most of the time, which its event loop counts as idle; Linux
 * reports how long its main thread ran and waited.
 */
export function processMeter(now: () => number = () => performance.now(), scheduled = scheduledMs): LoadMeter {
  let last = performance.eventLoopUtilization();
  let before = { at: now(), scheduled: scheduled() };
  return {
    now,
    utilization: () => {
      const { utilization } = performance.eventLoopUtilization(last);
      last = performance.eventLoopUtilization();
      const current = { at: now(), scheduled: scheduled() };
      const share = (current.scheduled - before.scheduled) / Math.max(1, current.at - before.at);
      before = current;
      return Math.max(utilization, Math.min(1, share));
    },
  };
}

let schedule: string | undefined = '/proc/self/schedstat';

/** Returns the milliseconds for which the main thread has run or waited for a processor; 0 where the system does not report it. */
function scheduledMs(): number {
  if (schedule === undefined) return 0;
  try {
    const [ran = 0, waited = 0] = readFileSync(schedule, 'utf8').split(' ').map(Number);
    return (ran + waited) / 1e6;
  } catch {
    schedule = undefined; // only Linux has the file
    return 0;
  }
}

/**
 * Lets commands come before the work that follows from them: while commands keep the event loop of the process busy, conductors get one
 * task for every four commands answered, and one in each window at least. When time is left, or no command comes, nothing is held back.
 * The services of one process share one.
 */
export class CommandLoad {
  private answered = 0;
  private windowEnd = -Infinity;
  private left = Infinity;

  constructor(private readonly meter: LoadMeter = processMeter()) {}

  /** Handles a command, and counts it when it is answered or refused. */
  async during<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } finally {
      this.answered += 1;
    }
  }

  /** Picks at most `max` tasks, as many as commands leave time for; `nextInMs` says when more may be picked. */
  within(max: number, pick: (max: number) => PickedTasks): PickedTasks {
    const allowed = this.allowed();
    const picked = pick(Math.min(max, allowed));
    this.left -= picked.ids.length;
    if (allowed >= max || picked.nextInMs !== 0) return picked;
    return { ...picked, nextInMs: Math.max(1, Math.ceil(this.windowEnd - this.meter.now())) };
  }

  private allowed(): number {
    const now = this.meter.now();
    if (now < this.windowEnd) return this.left;
    this.windowEnd = now + WINDOW_MS;
    const isBusy = this.meter.utilization() > BUSY && this.answered > 0;
    this.left = isBusy ? Math.ceil(this.answered / COMMANDS_PER_TASK) : Infinity;
    this.answered = 0;
    return this.left;
  }
}
