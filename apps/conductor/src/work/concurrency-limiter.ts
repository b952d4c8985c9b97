import { Injectable } from '@nestjs/common';
import type { ClaimRequest, Task } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import { ConductorContext } from '../conductor.context.js';

/** The tasks of one driver. */
interface Use {
  running: number;
  /** Places for tasks that are being claimed. */
  reserved: number;
  readonly runningBy: Map<string, number>;
}

/** Counts running tasks and tasks that are being claimed against the limits of the conductor, of each driver and of each project. */
@Injectable()
export class ConcurrencyLimiter {
  private readonly uses = new Map<string, Use>();
  private readonly all = { running: 0, reserved: 0 };

  constructor(private readonly context: ConductorContext) {}

  /**
   * Reserves half of the free concurrency (rounded up), so that a slow service does not block all of it. Returns undefined when nothing is
   * free, and while another service is asked for the same driver if projects are limited: both could use up the limit of a project.
   */
  reserve(driver: string): Pick<ClaimRequest, 'max' | 'room'> | undefined {
    const { all } = this;
    const { total, perDriver, perProject: limit } = this.context.limits;
    const use = this.useOf(driver);
    const ofDriver = perDriver[driver] ?? perDriver['*'] ?? total;
    const notRunning = Math.min(total - all.running, ofDriver - use.running);
    const free = Math.min(total - all.running - all.reserved, ofDriver - use.running - use.reserved);
    if (free <= 0 || (limit > 0 && use.reserved > 0)) return undefined;
    const max = Math.ceil(free / 2);
    this.addReserved(use, max);
    return { max, room: { free: notRunning, limit, running: Object.fromEntries(use.runningBy) } };
  }

  release(driver: string, { max }: Pick<ClaimRequest, 'max'>): void {
    this.addReserved(this.useOf(driver), -max);
  }

  started(task: Task): void {
    this.addRunning(task, 1);
  }

  ended(task: Task): void {
    this.addRunning(task, -1);
  }

  private addReserved(use: Use, n: number): void {
    this.all.reserved += n;
    use.reserved += n;
  }

  private addRunning({ driver, projectId }: Task, n: number): void {
    const use = this.useOf(driver.name);
    this.all.running += n;
    use.running += n;
    const ofProject = (use.runningBy.get(projectId) ?? 0) + n;
    if (ofProject === 0) use.runningBy.delete(projectId);
    else use.runningBy.set(projectId, ofProject);
  }

  private useOf(driver: string): Use {
    return getOrCreate(this.uses, driver, () => ({ running: 0, reserved: 0, runningBy: new Map<string, number>() }));
  }
}
