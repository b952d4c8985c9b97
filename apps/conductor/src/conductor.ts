import { Injectable } from '@nestjs/common';
import { ConductorContext, type Counters } from './conductor.context.js';
import { DriverPool } from './drivers/driver-pool.js';
import { Registrar } from './session/registrar.js';
import { SessionActivities } from './session/session-activities.js';
import type { Session } from './session/session.js';
import { backoffMs } from './time/backoff.js';
import { pause } from './time/clock.js';
import { ClaimLoop } from './work/claim-loop.js';
import { countSession } from './work/task-measures.js';
import { TaskRunner } from './work/task-runner.js';

/** Claims the tasks of the ring slots that it holds, runs them through drivers, and reports their outcomes. */
@Injectable()
export class Conductor {
  private readonly registering = new AbortController();
  private session: Session | undefined;
  private running: Promise<void> | undefined;
  private leaving: Promise<void> | undefined;
  private isStopped = false;
  private readonly firstSession = new AbortController();

  constructor(
    private readonly registrar: Registrar,
    private readonly activities: SessionActivities,
    private readonly claims: ClaimLoop,
    private readonly runner: TaskRunner,
    private readonly drivers: DriverPool,
    private readonly context: ConductorContext,
  ) {
    activities.listenForDraining(until => {
      const withinMs = until === undefined ? undefined : Math.max(0, Date.parse(until) - Date.now());
      this.drain(withinMs).catch((error: unknown) => context.log.error({ err: error }, 'drain failed'));
    });
  }

  get id(): string {
    return this.context.id;
  }

  get counters(): Readonly<Counters> {
    return this.context.counters;
  }

  /** Whether it has a session, in which it claims tasks. */
  get isRegistered(): boolean {
    return this.session !== undefined && this.session.end === undefined && this.leaving === undefined;
  }

  /** Starts the conductor. Resolves at once; the registration is retried in the background until it succeeds. */
  async start(): Promise<void> {
    this.running ??= this.runSessions();
  }

  /** Resolves when the conductor has registered for the first time, or stops before. */
  async registered(): Promise<void> {
    const signal = AbortSignal.any([this.firstSession.signal, this.registering.signal]);
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
  }

  /** Claims nothing new, finishes its tasks or releases them after `withinMs`, leaves the ring and stops. */
  drain(withinMs = this.context.times.drainMs): Promise<void> {
    return (this.leaving ??= this.leave(withinMs, 'draining'));
  }

  /** Drains within the grace period of a process that was asked to stop. Shortens a drain that is in progress to it. */
  stop(): Promise<void> {
    const { clock, times } = this.context;
    if (this.leaving) {
      const cancel = clock.after(times.stopGraceMs, () => this.runner.stop('stopping'));
      return this.leaving.finally(cancel);
    }
    return (this.leaving = this.leave(times.stopGraceMs, 'stopping'));
  }

  /** Stops at once without a report, as a process that is killed; for tests. */
  kill(): void {
    this.registering.abort();
    this.isStopped = true;
    this.session?.finish('killed');
    this.leaving ??= this.drivers.close().finally(() => this.context.attempts.close());
  }

  /** Resolves when the conductor has stopped, for any reason. */
  async stopped(): Promise<void> {
    await this.running;
    await this.leaving;
  }

  /** Registers again after each session. Sessions that end before they could expire are followed by a back-off. */
  private async runSessions(): Promise<void> {
    const { clock, times, log } = this.context;
    const { signal } = this.registering;
    for (let shortSessions = 0; !signal.aborted;) {
      const session = await this.registrar.register(signal);
      if (this.isStopped || !session) return;
      if (signal.aborted) return this.registrar.leave(session);
      const startedAt = clock.now();
      this.begin(session);
      const end = await session.ended();
      log.info({ session: session.id, end }, 'session ended');
      const isShort = clock.now() - startedAt < session.terms.sessionTimeoutMs * (1 - times.guardMargin);
      shortSessions = isShort ? shortSessions + 1 : 0;
      if (isShort) await pause(clock, backoffMs(shortSessions - 1, times.retry), signal);
    }
  }

  private begin(session: Session): void {
    const { installation, epoch } = session.terms;
    const { counters, log } = this.context;
    this.session = session;
    counters.sessions++;
    countSession();
    log.info({ session: session.id, epoch, installation }, 'registered');
    this.activities.run(session);
    this.firstSession.abort();
  }

  private async leave(graceMs: number, reason: 'draining' | 'stopping'): Promise<void> {
    const { log } = this.context;
    log.info({ graceMs, reason }, 'leaving the ring');
    this.registering.abort();
    this.claims.stop();
    await this.runner.finish(graceMs, reason);
    if (this.session) await this.registrar.leave(this.session);
    await this.running;
    await this.drivers.close();
    this.context.attempts.close();
    this.isStopped = true;
    log.info({ reason }, 'stopped');
  }
}
