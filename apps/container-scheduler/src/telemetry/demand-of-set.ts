import type { DemandSample } from '@stave/domain';
import type { UsageValues } from './set-demands.js';

/** Periods after which a member of which no sample arrives is unknown. */
const PERIODS_KNOWN = 3;
/** Instants without a sample that are filled in: after that nothing is known any more. */
const LONGEST_GAP = PERIODS_KNOWN + 1;

interface Member {
  /** The second of its last sample. */
  readonly second: number;
  readonly cpu: number;
  readonly memory: number;
}

interface Sum {
  known: number;
  cpu: number;
  memory: number;
}

/**
 * The demand of one set at each sampling instant: the sum of the last samples of its members. Conductors sample at times of their own, so an
 * instant adds up what the last three periods show of each member. A sample costs the same for any number of members.
 */
export class DemandOfSet {
  private readonly members = new Map<string, Member>();
  /** The sums by the second of the last sample, in order; those of the last three periods are in the total. */
  private readonly bySecond = new Map<number, Sum>();
  private total: Sum = { known: 0, cpu: 0, memory: 0 };
  /** The last sample, and the last instant that is complete; in milliseconds. */
  private lastMs = -Infinity;
  private periodMs = 0;
  private nextAt = Infinity;
  private kept: DemandSample[] = [];

  /** `running`: how many members run now. `onInstant`: is handed each instant as soon as it is complete. */
  constructor(
    private readonly running: () => number,
    private readonly onInstant: (instant: DemandSample) => void,
  ) {}

  add(id: string, timeMs: number, periodMs: number, { cpuCores: cpu, memoryMb: memory }: UsageValues): void {
    // a late sample counts as one of now
    this.lastMs = Math.max(this.lastMs, timeMs);
    this.completeUpTo(this.lastMs);
    const next = (Math.floor(this.lastMs / periodMs) + 1) * periodMs;
    this.nextAt = Math.min(this.nextAt, next);
    this.periodMs = periodMs;
    const second = Math.floor(this.lastMs / 1000);
    this.leave(id);
    this.members.set(id, { second, cpu, memory });
    const sum = this.bySecond.get(second) ?? { known: 0, cpu: 0, memory: 0 };
    this.bySecond.set(second, sum);
    for (const each of [sum, this.total]) change(each, 1, cpu, memory);
  }

  /** The member does not run any more, or nothing of it counts yet. */
  leave(id: string): void {
    const member = this.members.get(id);
    if (!member) return;
    this.members.delete(id);
    const { second, cpu, memory } = member;
    const sum = this.bySecond.get(second);
    // a sum that is too old has left the total with all of its members
    if (sum) for (const each of [sum, this.total]) change(each, -1, -cpu, -memory);
  }

  /** Returns the complete instants of the last `windowMs`, oldest first. */
  over(nowMs: number, windowMs: number): readonly DemandSample[] {
    this.completeUpTo(nowMs);
    return this.kept.filter(({ at }) => at > nowMs - windowMs && at <= nowMs);
  }

  /** Forgets the instants before a time. */
  forgetBefore(timeMs: number): void {
    if ((this.kept[0]?.at ?? Infinity) < timeMs) this.kept = this.kept.filter(({ at }) => at >= timeMs);
  }

  private completeUpTo(nowMs: number): void {
    for (let i = 0; this.nextAt <= nowMs && i < LONGEST_GAP; i++) {
      this.complete(this.nextAt);
      this.nextAt += this.periodMs;
    }
    if (this.nextAt <= nowMs) this.nextAt = Infinity;
  }

  private complete(at: number): void {
    this.lastMs = Math.max(this.lastMs, at);
    const oldest = (at - PERIODS_KNOWN * this.periodMs) / 1000;
    for (const [second, sum] of this.bySecond) {
      if (second >= oldest && sum.known > 0) break;
      this.bySecond.delete(second);
      change(this.total, -sum.known, -sum.cpu, -sum.memory);
    }
    const { known, cpu, memory } = this.total;
    if (known === 0) {
      // differences of many numbers do not cancel exactly
      this.total = { known: 0, cpu: 0, memory: 0 };
      return;
    }
    const instant = {
      at,
      spanMs: this.periodMs,
      known,
      others: Math.max(0, this.running() - known),
      use: { cpu, memory },
    };
    this.kept.push(instant);
    this.onInstant(instant);
  }
}

function change(sum: Sum, known: number, cpu: number, memory: number): void {
  sum.known += known;
  sum.cpu = Math.max(0, sum.cpu + cpu);
  sum.memory = Math.max(0, sum.memory + memory);
}
