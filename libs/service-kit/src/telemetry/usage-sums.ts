import { UsageSeries, type UsageValues, type UsageWindow } from './usage-series.js';

/** Sums are kept for the past at most this often. */
const SPACING_MS = 10_000;

/** Two searches for units that are not sampled any more are at least this far apart: each checks all units. */
const SEARCH_MS = 1_000;

/** How long a sum without units is kept. */
const KEPT_MS = 3_600_000;

/** What one unit adds to the sums of its groups. */
export interface Unit {
  timeMs: number;
  cpuCores: number;
  memoryMb: number;
  readonly sums: readonly Sum[];
  hasLeft: boolean;
}

interface Sum {
  readonly group: string;
  units: number;
  cpuCores: number;
  memoryMb: number;
  readonly series: UsageSeries;
}

/** What a window of a sum shows, and how many units it adds up now. */
export type SummedWindow = UsageWindow & { readonly units: number };

/**
 * The utilisation of groups of units: the sum of the last samples of their units. A sample costs the same for any number of units; a unit that
 * was not sampled for `freshMs` leaves its sums within a second.
 */
export class UsageSums {
  private readonly units = new Map<string, Unit>();
  private readonly sums = new Map<string, Sum>();
  /** Sums without units, in the order in which they lost the last one, with that time. */
  private readonly emptied = new Map<string, number>();
  /** No unit leaves its sums before this time. */
  private staleAfter = -Infinity;
  private searchedAt = -Infinity;

  constructor(
    private readonly freshMs: number,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** `groups`: those that the unit belongs to now. Returns the unit; with it, the next sample needs no search for its id (`known`). */
  add(id: string, timeMs: number, values: UsageValues, groups: readonly string[], known?: Unit): Unit {
    this.dropStale(timeMs);
    const before = known && !known.hasLeft ? known : this.units.get(id);
    const isMoved = before !== undefined && !before.sums.every(({ group }, i) => group === groups[i]);
    if (isMoved) this.leave(before, timeMs);
    const unit = before && !isMoved ? before : this.join(groups);
    // a Map in the order of the samples would have to step over as many deleted entries to find its first
    if (unit !== before) this.units.set(id, unit);
    change(unit, values);
    unit.timeMs = timeMs;
    for (const { series, cpuCores, memoryMb } of unit.sums) series.add(timeMs, { cpuCores, memoryMb });
    return unit;
  }

  over(group: string, windowMs: number): SummedWindow {
    const now = this.nowMs();
    this.dropStale(now);
    const { series = new UsageSeries(), units = 0 } = this.sums.get(group) ?? {};
    return { ...series.over(windowMs, now, this.freshMs), units };
  }

  private join(groups: readonly string[]): Unit {
    const sums = groups.map(group => {
      const empty = { group, units: 0, cpuCores: 0, memoryMb: 0 };
      const sum = this.sums.get(group) ?? { ...empty, series: new UsageSeries(SPACING_MS) };
      this.sums.set(group, sum);
      this.emptied.delete(group);
      sum.units += 1;
      return sum;
    });
    return { timeMs: 0, cpuCores: 0, memoryMb: 0, sums, hasLeft: false };
  }

  private leave(unit: Unit, nowMs: number): void {
    unit.hasLeft = true;
    change(unit, { cpuCores: 0, memoryMb: 0 });
    for (const sum of unit.sums) {
      sum.units -= 1;
      if (sum.units === 0) this.emptied.set(sum.group, nowMs);
    }
  }

  private dropStale(nowMs: number): void {
    if (nowMs > this.staleAfter && nowMs - this.searchedAt >= SEARCH_MS) this.dropStaleUnits(nowMs);
    for (const [group, sinceMs] of this.emptied) {
      if (nowMs - sinceMs <= KEPT_MS) return;
      this.emptied.delete(group);
      this.sums.delete(group);
    }
  }

  private dropStaleUnits(nowMs: number): void {
    let oldest = nowMs;
    for (const [id, unit] of this.units) {
      if (nowMs - unit.timeMs <= this.freshMs) oldest = Math.min(oldest, unit.timeMs);
      else {
        this.units.delete(id);
        this.leave(unit, nowMs);
      }
    }
    this.searchedAt = nowMs;
    this.staleAfter = oldest + this.freshMs;
  }
}

function change(unit: Unit, { cpuCores, memoryMb }: UsageValues): void {
  for (const sum of unit.sums) {
    // differences of many numbers do not cancel exactly
    sum.cpuCores = Math.max(0, sum.cpuCores + cpuCores - unit.cpuCores);
    sum.memoryMb = Math.max(0, sum.memoryMb + memoryMb - unit.memoryMb);
  }
  unit.cpuCores = cpuCores;
  unit.memoryMb = memoryMb;
}
