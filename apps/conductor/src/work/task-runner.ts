import { EventEmitter, once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { cancelSubject, type HeldClaim, type Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import { traced, type Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import { DriverPool } from '../drivers/driver-pool.js';
import { fieldsOf } from '../message-fields.js';
import { TaskSecrets } from '../secrets/task-secrets.js';
import type { Session } from '../session/session.js';
import { settledBefore } from '../time/clock.js';
import { reportedOutcome, type StopReason } from './outcome.js';
import { ProgressReports } from './progress-reports.js';
import { Reporter, type ReportAnswer } from './reporter.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { AttemptMeasure, observeTasks } from './task-measures.js';
import { TaskRun } from './task-run.js';

/** The number of ended attempts to remember: far more than can end during one claim request. */
const REMEMBERED = 4_096;

/** Runs claimed tasks in parallel and reports them. At most one driver call per resource runs at a time, also across sessions. */
@Injectable()
export class TaskRunner {
  private readonly runs = new Map<string, TaskRun>();
  private readonly calls = new Map<string, Promise<unknown>>();
  private readonly concluded = new Set<string>();
  private readonly events = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly drivers: DriverPool,
    private readonly reporter: Reporter,
    private readonly limiter: ConcurrencyLimiter,
    private readonly secrets: TaskSecrets,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {
    observeTasks(context.counters);
  }

  get inFlight(): number {
    return this.runs.size;
  }

  onEnded(listener: (task: Task) => void): void {
    this.events.on('ended', listener);
  }

  listen(session: Session): void {
    const subscription = this.messaging.subscribe(cancelSubject(this.context.id, this.context.groupToken), payload => {
      const { taskId } = fieldsOf(payload);
      if (typeof taskId === 'string') this.stop('cancelled', taskId);
    });
    session.onEnd(() => void subscription.close());
  }

  /**
   * Starts a task whose claim this session holds. A task that is in flight or has ended is ignored: a service hands out again what it
   * does not know to be here, and its reply may be late.
   */
  start(session: Session, task: Task): void {
    const key = TaskRun.key(task, session);
    if (this.runs.has(key) || this.concluded.has(key) || !session.isAlive()) return;
    const { taskId, kind, attempt, resource, driver, operationId } = task;
    const log = this.context.log.child({
      session: session.id,
      taskId,
      kind,
      attempt,
      resource: resource.id,
      operationId,
      // as in the events of the task
      correlationId: operationId || resource.id,
    });
    const run = new TaskRun(task, session, log);
    this.runs.set(key, run);
    this.context.attempts.begin(key, task, `${kind} begins with ${driver.name}@${driver.version}`);
    this.limiter.started(task);
    this.context.counters.inFlight = this.runs.size;
    const { traceparent: parent, causeTraceparent } = task;
    const attributes = { 'stave.driver': driver.name, 'stave.resource.id': resource.id, 'stave.attempt': attempt };
    const running =
      parent === undefined
        ? this.run(run)
        : traced(`task ${kind}`, { parent, links: [causeTraceparent], attributes }, () => this.run(run));
    void running.finally(() => this.ended(key, task));
  }

  /**
   * Answers a service that asks about a claim. Stops its task when it was superseded. Releases a claim whose task was never received,
   * and ignores the task if it arrives later.
   */
  settle(session: Session, held: HeldClaim): void {
    const key = TaskRun.key(held, session);
    const run = this.runs.get(key);
    if (run && held.superseded) run.stop('cancelled');
    if (run || this.concluded.has(key) || !session.isAlive()) return;
    this.remember(key);
    const fields = { session: session.id, taskId: held.taskId, resource: held.resource.id };
    this.context.log.warn(fields, 'claim released: its task was never received');
    void this.reporter.send(session, held, { type: 'released', reason: 'not received' });
  }

  /** Asks one task, or all tasks, to stop. */
  stop(reason: StopReason, taskId?: string): void {
    for (const run of this.runs.values()) if (taskId === undefined || run.task.taskId === taskId) run.stop(reason);
  }

  /** Resolves when no task is in flight. Releases the tasks that are not finished after `graceMs`. */
  async finish(graceMs: number, reason: 'draining' | 'stopping'): Promise<void> {
    const { clock, times, log } = this.context;
    if (await settledBefore(clock, this.idle(), graceMs)) return;
    log.info({ inFlight: this.inFlight, reason }, 'releasing unfinished tasks');
    this.stop(reason);
    const limitMs = times.abortGraceMs + times.requestTimeoutMs + times.retry.maxMs;
    if (await settledBefore(clock, this.idle(), limitMs)) return;
    log.warn({ inFlight: this.inFlight }, 'leaving with tasks whose release was not confirmed');
  }

  private async idle(): Promise<void> {
    if (this.runs.size > 0) await once(this.events, 'idle');
  }

  private async run(run: TaskRun): Promise<void> {
    const { clock, times } = this.context;
    const { task, session } = run;
    const forget = session.onEnd(() => run.stop('session'));
    const cancelDeadline = clock.after(task.timeoutMs, () => run.stop('deadline'));
    const progress = new ProgressReports({
      clock,
      intervalMs: times.progressIntervalMs,
      send: (step, cancel) => this.reporter.send(session, task, { type: 'progress', step }, cancel),
      onAnswer: answer => this.answered(run, answer),
    });
    const measure = new AttemptMeasure(task.driver.name, task.kind);
    const outcome = await this.outcomeOf(run, step => {
      measure.next(step);
      progress.note(step);
    });
    measure.endStep();
    cancelDeadline();
    await progress.close();
    const report = reportedOutcome(outcome, session.isAlive() ? run.stopped : 'session', task.timeoutMs);
    if (report) await this.report(run, report);
    else await this.drop(run);
    measure.end(report?.type ?? 'dropped');
    forget();
  }

  /** Returns undefined when the driver call did not stop in time after its signal fired. */
  private async outcomeOf(run: TaskRun, progress: (step: string) => void): Promise<TaskOutcome | undefined> {
    const { clock, times } = this.context;
    const { resource, driver } = run.task;
    const call = (this.calls.get(resource.id) ?? Promise.resolve()).then(() =>
      run.call(this.drivers.find(driver.name, driver.version), this.secrets, progress, line => this.keep(run, line)),
    );
    this.calls.set(resource.id, call);
    void call.finally(() => {
      if (this.calls.get(resource.id) === call) this.calls.delete(resource.id);
    });
    const stopped = new Promise<void>(resolve => {
      if (run.signal.aborted) resolve();
      run.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([call, stopped]);
    if (await settledBefore(clock, call, times.abortGraceMs)) return call;
    run.log.error({ stopped: run.stopped }, 'driver call did not stop in time; its task is reported without it');
    return undefined;
  }

  private async report(run: TaskRun, outcome: TaskOutcome): Promise<void> {
    const answer = await this.reporter.send(run.session, run.task, outcome);
    this.answered(run, answer);
    const { counters } = this.context;
    if (answer.status === 'dropped') counters.dropped++;
    else this.remember(TaskRun.key(run.task, run.session));
    if (answer.status === 'accepted' && outcome.type !== 'progress') counters[outcome.type]++;
    const failure = outcome.type === 'failed' ? { failure: outcome.failure } : {};
    run.log.info({ outcome: outcome.type, ...failure, status: answer.status }, 'task ended');
  }

  /** Reports late after an unexpected end of the session, so that a stale claim becomes visible. */
  private async drop(run: TaskRun): Promise<void> {
    const { session, task } = run;
    run.log.warn({ stopped: run.stopped }, 'task dropped: the conductor has lost the claim');
    if (run.stopped !== 'session' || !session.endedUnexpectedly) return;
    this.answered(run, await this.reporter.sendLate(session, task));
  }

  private answered(run: TaskRun, answer: ReportAnswer): void {
    if (answer.status === 'stale') {
      this.context.counters.stale++;
      run.log.warn({}, 'report was stale');
      run.stop('stale');
    } else if (answer.status === 'accepted' && answer.cancel) {
      run.stop('cancelled');
    }
  }

  private remember(key: string): void {
    this.concluded.add(key);
    const [oldest] = this.concluded;
    if (this.concluded.size > REMEMBERED && oldest !== undefined) this.concluded.delete(oldest);
  }

  private keep({ task, session }: TaskRun, line: string): void {
    this.context.attempts.write(TaskRun.key(task, session), line);
  }

  private ended(key: string, task: Task): void {
    this.runs.delete(key);
    this.context.attempts.end(key);
    this.limiter.ended(task);
    this.context.counters.inFlight = this.runs.size;
    this.events.emit('ended', task);
    if (this.runs.size === 0) this.events.emit('idle');
  }
}
