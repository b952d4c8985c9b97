import { Injectable } from '@nestjs/common';
import type { ClaimReply, ClaimRequest, ServiceName, Task } from '@stave/contracts';
import { ConductorContext } from '../conductor.context.js';
import { DriverPool } from '../drivers/driver-pool.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import type { SlotTable } from '../ring/slot-table.js';
import type { Session } from '../session/session.js';
import { serviceOf } from '../service-client.js';
import { jitter } from '../time/backoff.js';
import { ClaimRequests } from './claim-requests.js';
import { ClaimWorker } from './claim-worker.js';
import { TaskRunner } from './task-runner.js';

const POLL_JITTER = 0.1;

/** Decides when to claim tasks of which driver from which service, and starts the claimed tasks. */
@Injectable()
export class ClaimLoop {
  private readonly workers: readonly ClaimWorker[];
  private isClaiming = true;

  constructor(
    requests: ClaimRequests,
    drivers: DriverPool,
    private readonly tables: SlotTableClient,
    private readonly runner: TaskRunner,
    private readonly context: ConductorContext,
  ) {
    const options = {
      requests,
      debounceMs: context.times.hintDebounceMs,
      log: context.log,
      isClaiming: () => this.isClaiming,
      onReply: (session: Session, request: ClaimRequest, reply: ClaimReply) => this.take(session, request, reply),
      onReleased: () => this.wakeWhere(({ mayHaveMore }) => mayHaveMore),
    };
    const services: readonly ServiceName[] = Object.values(serviceOf);
    this.workers = services.flatMap(service => drivers.names.map(driver => new ClaimWorker(service, driver, options)));
    runner.onEnded(task => this.taskEnded(task));
  }

  /** Claims until the session ends. */
  run(session: Session): void {
    for (const worker of this.workers) worker.use(session);
    this.poll(session);
  }

  /** Stops claiming for good; tasks that are claimed already continue. */
  stop(): void {
    this.isClaiming = false;
  }

  /** Claims soon after a hint for a slot, if the conductor holds it. */
  hinted(table: SlotTable, token: string, slot: number): void {
    const drivers = table.driversOf(token, slot);
    this.wakeWhere(({ driver }) => drivers.includes(driver));
  }

  /** Claims soon from all services, because slots were gained or a driver opened. */
  wakeAll(): void {
    this.wakeWhere(() => true);
  }

  private take(session: Session, request: ClaimRequest, { tasks, held = [], epoch }: ClaimReply): void {
    for (const task of tasks) this.runner.start(session, task);
    for (const claim of held) this.runner.settle(session, claim);
    if (epoch > request.epoch) this.tables.learnEpoch(epoch);
  }

  /** Concurrency is free again, and the task's resource may have another open task. */
  private taskEnded(task: Task): void {
    const service = serviceOf[task.resource.type];
    this.wakeWhere(worker => worker.mayHaveMore || (worker.service === service && worker.driver === task.driver.name));
  }

  private poll(session: Session): void {
    this.wakeAll();
    session.after(jitter(this.context.times.claimPollMs, POLL_JITTER), () => this.poll(session));
  }

  private wakeWhere(matches: (worker: ClaimWorker) => boolean): void {
    for (const worker of this.workers) if (matches(worker)) worker.wake();
  }
}
