import { Injectable } from '@nestjs/common';
import { ConductorContext } from '../conductor.context.js';

/** Counts running tasks and tasks that are being claimed against the limits of the conductor and of each driver. */
@Injectable()
export class ConcurrencyLimiter {
  private readonly usedBy = new Map<string, number>();
  private used = 0;

  constructor(private readonly context: ConductorContext) {}

  free(driver: string): number {
    const { total, perDriver } = this.context.limits;
    const limit = perDriver[driver] ?? perDriver['*'] ?? total;
    return Math.max(0, Math.min(total - this.used, limit - this.usedOf(driver)));
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
