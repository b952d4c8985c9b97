import { Injectable } from '@nestjs/common';
import type { ClaimReply, ClaimRequest, ServiceName, Task } from '@stave/contracts';
import { ConductorContext } from '../conductor.context.js';
import { DriverPool } from '../drivers/driver-pool.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import type { SlotTable } from '../ring/slot-table.js';
import type { Session } from '../session/session.js';
import { ServiceClient, serviceOf } from '../service-client.js';
import { jitter } from '../time/backoff.js';
import { ClaimWorker } from './claim-worker.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { TaskRunner } from './task-runner.js';

const POLL_JITTER = 0.1;

/** Decides when to claim tasks of which driver from which service, and starts the claimed tasks. */
@Injectable()
export class ClaimLoop {
  private readonly workers: readonly ClaimWorker[];
  private isClaiming = true;

  constructor(
    private readonly client: ServiceClient,
    private readonly limiter: ConcurrencyLimiter,
    private readonly drivers: DriverPool,
    private readonly tables: SlotTableClient,
    private readonly runner: TaskRunner,
    readonly context: ConductorContext,
  ) {
    const services: readonly ServiceName[] = [...new Set(Object.values(serviceOf))];
    this.workers = services.flatMap(service => drivers.names.map(driver => new ClaimWorker(service, driver, this)));
    runner.onEnded(task => this.taskEnded(task));
  }

  run(session: Session): void {
    this.runner.listen(session);
    for (const worker of this.workers) worker.use(session);
    this.poll(session);
  }

  /** Stops claiming for good; tasks that are claimed already continue. */
  stop(): void {
    this.isClaiming = false;
  }

  /** Claims soon after a hint for a slot, if the conductor holds it; from every service where the hint names none. */
  hinted(table: SlotTable, token: string, slot: number, hinting?: unknown): void {
    const drivers = table.driversOf(token, slot);
    this.wakeWhere(({ driver, service }) => drivers.includes(driver) && (hinting === undefined || hinting === service));
  }

  /** Claims soon from all services, because slots were gained or a driver opened. */
  wakeAll(): void {
    this.wakeWhere(() => true);
  }

  /**
   * Returns a request for the driver's tasks in the held slots and reserves concurrency for it. Returns `limit-reached` when no
   * concurrency is free, and undefined when no slot is held that an open driver can operate.
   */
  reserve(session: Session, driver: string): ClaimRequest | 'limit-reached' | undefined {
    if (!this.isClaiming) return undefined;
    const { epoch, holdings } = this.tables.current;
    const operable = holdings
      .filter(holding => holding.driver === driver && this.drivers.find(driver, holding.version) !== undefined)
      .map(({ key, version, slots }) => ({ key, version, slots }));
    if (operable.length === 0) return undefined;
    const reserved = this.limiter.reserve(driver);
    if (!reserved) return 'limit-reached';
    return { conductor: this.context.id, session: session.id, epoch, holdings: operable, ...reserved };
  }

  /** Throws what `ServiceClient.ask` throws. */
  send(service: ServiceName, request: ClaimRequest): Promise<ClaimReply> {
    return this.client.ask<ClaimReply>(service, ['task', 'claim'], request);
  }

  take(session: Session, request: ClaimRequest, { tasks, held = [], epoch }: ClaimReply): void {
    for (const task of tasks) this.runner.start(session, task);
    for (const claim of held) this.runner.settle(session, claim);
    if (epoch > request.epoch) this.tables.learnEpoch(epoch);
  }

  /** Frees the reserved concurrency, which another worker may need. */
  release(driver: string, request: ClaimRequest): void {
    this.limiter.release(driver, request);
    this.wakeWhere(({ mayHaveMore }) => mayHaveMore);
  }

  /** Concurrency is free again, and the task's resource may have another open task. */
  private taskEnded(task: Task): void {
    const service = serviceOf[task.resource.type];
    const isFreed = ({ driver, isHeldBack, service: asked }: ClaimWorker): boolean =>
      driver === task.driver.name && (isHeldBack || asked === service);
    this.wakeWhere(worker => worker.mayHaveMore || isFreed(worker));
  }

  private poll(session: Session): void {
    this.wakeAll();
    session.after(jitter(this.context.times.claimPollMs, POLL_JITTER), () => this.poll(session));
  }

  private wakeWhere(matches: (worker: ClaimWorker) => boolean): void {
    for (const worker of this.workers) if (matches(worker)) worker.wake();
  }
}
