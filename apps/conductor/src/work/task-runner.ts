import type { HeldClaim, Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import type { Logger } from 'pino';
import type { ConductorTimes } from '../config/conductor.settings.js';
import type { Counters } from '../counters.js';
import type { DriverPool } from '../drivers/driver-pool.js';
import type { Session } from '../session/session.js';
import { settlesWithin, type Clock } from '../time/clock.js';
import { concludes, type StopReason } from './outcome.js';
import { ProgressReports } from './progress-reports.js';
import type { ReportAnswer, Reporter } from './reporter.js';
import type { ConcurrencyLimiter } from './concurrency-limiter.js';
import { TaskRun } from './task-run.js';

export interface TaskRunnerParts {
  readonly drivers: DriverPool;
  readonly reporter: Reporter;
  readonly room: ConcurrencyLimiter;
  readonly clock: Clock;
  readonly times: ConductorTimes;
  readonly counters: Counters;
  readonly log: Logger;
}

/** Attempts that are remembered as ended: far more than can end while one claim request is under way. */
const REMEMBERED = 4_096;

/** Runs claimed tasks in parallel and reports them. Of one resource one driver call runs at a time, across sessions too. */
export class TaskRunner {
  private readonly runs = new Map<string, TaskRun>();
  private readonly calls = new Map<string, Promise<unknown>>();
  private readonly concluded = new Set<string>();
  private idleWaiters: (() => void)[] = [];
  private roomListener: (task: Task) => void = () => undefined;

  constructor(private readonly parts: TaskRunnerParts) {}

  get inFlight(): number {
    return this.runs.size;
  }

  /** Called after each task's end. */
  onEnded(listener: (task: Task) => void): void {
    this.roomListener = listener;
  }

  /**
   * Starts a task that this session holds the claim of. One that is in flight goes on as it is; one that was concluded stays so:
   * services hand out again what they do not know to be here, and such an answer may have been under way for a while.
   */
  start(session: Session, task: Task): void {
    const key = TaskRun.key(task, session);
    if (this.runs.has(key) || this.concluded.has(key) || !session.isAlive()) return;
    const { taskId, kind, attempt, resource } = task;
    const log = this.parts.log.child({ session: session.id, taskId, kind, attempt, resource: resource.id });
    const run = new TaskRun(task, session, log);
    this.runs.set(key, run);
    this.parts.room.add(task.driver.name, 1);
    this.parts.counters.claimed++;
    this.parts.counters.inFlight = this.runs.size;
    void this.run(run).finally(() => this.ended(key, task));
  }

  /**
   * The service asks about a claim. One that is superseded is stopped; one that never arrived here is given back, and never started
   * if its hand-out should still come.
   */
  settle(session: Session, held: HeldClaim): void {
    const key = TaskRun.key(held, session);
    const run = this.runs.get(key);
    if (run && held.superseded) run.stop('cancelled');
    if (run || this.concluded.has(key) || !session.isAlive()) return;
    this.remember(key);
    this.parts.log.warn(
      { session: session.id, taskId: held.taskId, resource: held.resource.id },
      'claim without its task given back',
    );
    void this.parts.reporter.send(session, held, { type: 'released', reason: 'not received' });
  }

  /** Asks one task, or all of them, to stop. */
  stop(reason: StopReason, taskId?: string): void {
    for (const run of this.runs.values()) if (taskId === undefined || run.task.taskId === taskId) run.stop(reason);
  }

  /** Resolves when nothing is in flight. */
  idle(): Promise<void> {
    return this.runs.size === 0 ? Promise.resolve() : new Promise(resolve => this.idleWaiters.push(resolve));
  }

  private async run(run: TaskRun): Promise<void> {
    const { clock, reporter, times } = this.parts;
    const { task, session } = run;
    const forget = session.onEnd(() => run.stop('session'));
    const cancelDeadline = clock.after(task.timeoutMs, () => run.stop('deadline'));
    const progress = new ProgressReports({
      clock,
      intervalMs: times.progressIntervalMs,
      send: (step, giveUp) => reporter.send(session, task, { type: 'progress', step }, giveUp),
      onAnswer: answer => this.answered(run, answer),
    });
    const outcome = await this.outcomeOf(run, step => progress.note(step));
    cancelDeadline();
    await progress.close();
    const report = concludes(outcome, session.isAlive() ? run.stopped : 'session', task.timeoutMs);
    if (report) await this.report(run, report);
    else await this.drop(run);
    forget();
  }

  /** Undefined when the driver call did not stop in time after it was told to. */
  private async outcomeOf(run: TaskRun, progress: (step: string) => void): Promise<TaskOutcome | undefined> {
    const { drivers, clock, times } = this.parts;
    const { resource, driver } = run.task;
    const call = (this.calls.get(resource.id) ?? Promise.resolve()).then(() =>
      run.call(drivers.find(driver.name, driver.version), clock, progress),
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
    if (await settlesWithin(clock, call, times.abortGraceMs)) return call;
    run.log.error({ stopped: run.stopped }, 'driver call does not stop');
    return undefined;
  }

  private async report(run: TaskRun, outcome: TaskOutcome): Promise<void> {
    const answer = await this.parts.reporter.send(run.session, run.task, outcome);
    this.answered(run, answer);
    const { counters } = this.parts;
    if (answer.status === 'dropped') counters.dropped++;
    else this.remember(TaskRun.key(run.task, run.session));
    if (answer.status === 'accepted' && outcome.type !== 'progress') counters[outcome.type]++;
    run.log.info({ outcome: outcome.type, status: answer.status }, 'task ended');
  }

  /** A conductor that stood still learns so, and everybody else can see it, from the answer to its late report. */
  private async drop(run: TaskRun): Promise<void> {
    const { session, task } = run;
    run.log.warn({ stopped: run.stopped }, 'task dropped: its claim is not ours any more');
    if (run.stopped !== 'session' || !session.isOutlived) return;
    this.answered(run, await this.parts.reporter.sendLate(session, task));
  }

  private answered(run: TaskRun, answer: ReportAnswer): void {
    if (answer.status === 'stale') {
      this.parts.counters.stale++;
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

  private ended(key: string, task: Task): void {
    this.runs.delete(key);
    this.parts.room.add(task.driver.name, -1);
    this.parts.counters.inFlight = this.runs.size;
    this.roomListener(task);
    if (this.runs.size === 0) this.idleWaiters.splice(0).forEach(resolve => resolve());
  }
}
