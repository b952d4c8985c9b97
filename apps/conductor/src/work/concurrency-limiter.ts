import { driverLimit, type ConductorLimits } from '../config/conductor.settings.js';

/** Counts what runs and what is being asked for, against the limits. */
export class ConcurrencyLimiter {
  private readonly usedBy = new Map<string, number>();
  private used = 0;

  constructor(private readonly limits: ConductorLimits) {}

  free(driver: string): number {
    const free = Math.min(this.limits.total - this.used, driverLimit(this.limits, driver) - this.usedOf(driver));
    return Math.max(0, free);
  }

  /** Takes half of the free room (rounded up), so that one service slow to answer does not keep all of it from the others. */
  reserve(driver: string): number {
    const taken = Math.ceil(this.free(driver) / 2);
    this.add(driver, taken);
    return taken;
  }

  add(driver: string, n: number): void {
    this.used += n;
    this.usedBy.set(driver, this.usedOf(driver) + n);
  }

  private usedOf(driver: string): number {
    return this.usedBy.get(driver) ?? 0;
  }
}
