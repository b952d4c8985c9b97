import { Injectable } from '@nestjs/common';
import { ConductorContext } from '../conductor.context.js';
import { driverLimit } from '../config/conductor.settings.js';

/** Counts running tasks and tasks that are being claimed against the limits of the conductor and of each driver. */
@Injectable()
export class ConcurrencyLimiter {
  private readonly usedBy = new Map<string, number>();
  private used = 0;

  constructor(private readonly context: ConductorContext) {}

  free(driver: string): number {
    const { limits } = this.context;
    const free = Math.min(limits.total - this.used, driverLimit(limits, driver) - this.usedOf(driver));
    return Math.max(0, free);
  }

  /** Reserves half of the free concurrency (rounded up), so that a slow service does not block all of it. Returns what it reserved. */
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
