import { cancelSubject } from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import type { Logger } from 'pino';
import type { ConductorTimes } from './config/conductor.settings.js';
import type { Counters } from './counters.js';
import type { DriverPool, OpenDriver } from './drivers/driver-pool.js';
import type { HealthWatch } from './health/health-watch.js';
import type { SlotSubscriptions } from './ring/slot-subscriptions.js';
import type { SlotTable } from './ring/slot-table.js';
import type { SlotTableClient } from './ring/slot-table.client.js';
import type { HeartbeatSender } from './session/heartbeat.js';
import type { Registrar } from './session/registrar.js';
import type { Retirement } from './session/retirement.js';
import type { Session } from './session/session.js';
import type { OrphanSweep } from './sweep/orphan-sweep.js';
import { backoffMs } from './time/backoff.js';
import { pause, type Clock } from './time/clock.js';
import type { ClaimLoop } from './work/claim-loop.js';
import type { TaskRunner } from './work/task-runner.js';

export interface ConductorHealth {
  readonly state: 'new' | 'registering' | 'active' | 'retiring' | 'stopped';
  readonly session: string | undefined;
  readonly epoch: number;
  readonly slots: number;
  readonly drivers: readonly { readonly name: string; readonly version: string; readonly open: boolean }[];
  readonly counters: Readonly<Counters>;
}

export interface ConductorParts {
  readonly id: string;
  readonly messaging: Messaging;
  readonly drivers: DriverPool;
  readonly registrar: Registrar;
  readonly heartbeat: HeartbeatSender;
  readonly tables: SlotTableClient;
  readonly subscriptions: SlotSubscriptions;
  readonly claims: ClaimLoop;
  readonly runner: TaskRunner;
  readonly sweep: OrphanSweep;
  readonly health: HealthWatch;
  readonly retirement: Retirement;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly times: ConductorTimes;
  readonly log: Logger;
}

/** Claims the work of the ring slots that it holds, runs it through drivers, reports back. */
export class Conductor {
  private readonly life = new AbortController();
  private session: Session | undefined;
  private living: Promise<void> | undefined;
  private retiring: Promise<void> | undefined;
  private over = false;

  constructor(private readonly parts: ConductorParts) {
    const { tables, runner, claims, log } = parts;
    runner.onEnded(task => claims.taskEnded(task));
    tables.listen({
      onTable: table => this.follow(table),
      onDraining: until => {
        const withinMs = until === undefined ? undefined : Math.max(0, Date.parse(until) - Date.now());
        this.drain(withinMs).catch((error: unknown) => log.error({ err: error }, 'drain failed'));
      },
    });
  }

  get id(): string {
    return this.parts.id;
  }

  get counters(): Readonly<Counters> {
    return this.parts.counters;
  }

  /** Begins; registration goes on in the background for as long as it takes. */
  async start(): Promise<void> {
    this.living ??= this.live();
  }

  /** Claims nothing new, finishes or, after `withinMs`, releases what it has, leaves the ring and stops. */
  drain(withinMs = this.parts.times.drainMs): Promise<void> {
    return (this.retiring ??= this.retire(withinMs, 'draining'));
  }

  /** As `drain`, within the grace period of a process that was told to go; hurries a drain that is under way. */
  stop(): Promise<void> {
    const { clock, runner, times } = this.parts;
    if (this.retiring) {
      const cancel = clock.after(times.stopGraceMs, () => runner.stop('stopping'));
      return this.retiring.finally(cancel);
    }
    return (this.retiring = this.retire(times.stopGraceMs, 'stopping'));
  }

  /** For tests: as if the process had been killed. No report, no goodbye. */
  kill(): void {
    this.life.abort();
    this.over = true;
    this.session?.finish('killed');
    this.retiring ??= this.parts.drivers.close();
  }

  /** Resolves when it has stopped, by whatever reason. */
  async stopped(): Promise<void> {
    await this.living;
    await this.retiring;
  }

  health(): ConductorHealth {
    const { drivers, tables, counters } = this.parts;
    const table = tables.current;
    return {
      state: this.state(),
      session: this.session?.id,
      epoch: table.epoch,
      slots: table.holdings.reduce((sum, { slots }) => sum + slots.length, 0),
      drivers: drivers.states,
      counters: { ...counters },
    };
  }

  private follow(table: SlotTable): void {
    this.parts.subscriptions.follow(table);
    this.parts.claims.wakeAll();
  }

  private state(): ConductorHealth['state'] {
    if (this.over) return 'stopped';
    if (this.retiring) return 'retiring';
    if (!this.living) return 'new';
    return this.session?.end === undefined && this.session ? 'active' : 'registering';
  }

  /** A session that was ended before it could expire is followed by the next one with back-off, for that may happen again. */
  private async live(): Promise<void> {
    const { registrar, retirement, clock, times, log } = this.parts;
    for (let short = 0; !this.life.signal.aborted;) {
      const session = await registrar.register(this.life.signal);
      if (this.over) return;
      if (!session) return;
      if (this.life.signal.aborted) return retirement.leave(session);
      const begunAt = clock.now();
      this.begin(session);
      const end = await session.ended();
      log.info({ session: session.id, end }, 'session ended');
      short = clock.now() - begunAt < session.terms.sessionTimeoutMs * (1 - times.guardMargin) ? short + 1 : 0;
      if (short > 0) await pause(clock, backoffMs(short - 1, times.retry), this.life.signal);
    }
  }

  private begin(session: Session): void {
    const { drivers, heartbeat, tables, subscriptions, claims, counters, log } = this.parts;
    const { installation, epoch } = session.terms;
    this.session = session;
    counters.sessions++;
    log.info({ session: session.id, epoch, installation }, 'registered');
    heartbeat.run(session);
    this.listenForCancels(session);
    subscriptions.run(session);
    tables.run(session);
    for (const open of drivers.all) this.watch(session, open);
    drivers.open(installation, open => {
      claims.wakeAll();
      if (this.session?.isAlive()) this.watch(this.session, open);
    });
    claims.run(session);
  }

  private watch(session: Session, open: OpenDriver): void {
    this.parts.sweep.run(session, open);
    this.parts.health.run(session, open);
  }

  private listenForCancels(session: Session): void {
    const { messaging, runner, id } = this.parts;
    const subscription = messaging.subscribe(cancelSubject(id), payload => {
      const taskId = taskIdOf(payload);
      if (taskId !== undefined) runner.stop('cancelled', taskId);
    });
    session.onEnd(() => void subscription.close());
  }

  private async retire(graceMs: number, reason: 'draining' | 'stopping'): Promise<void> {
    const { retirement, drivers, log } = this.parts;
    log.info({ graceMs, reason }, 'retiring');
    this.life.abort();
    await retirement.finishWork(graceMs, reason);
    if (this.session) await retirement.leave(this.session);
    await this.living;
    await drivers.close();
    this.over = true;
    log.info({ reason }, 'stopped');
  }
}

function taskIdOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('taskId' in payload)) return undefined;
  return typeof payload.taskId === 'string' ? payload.taskId : undefined;
}
