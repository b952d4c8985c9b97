import { setMaxListeners } from 'node:events';
import type { Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import { DriverError, dispatchTask, type DriverTaskResult } from '@stave/driver-sdk';
import { knownSecrets } from '@stave/platform';
import type { Logger } from 'pino';
import type { OpenDriver } from '../drivers/open-driver.js';
import type { TaskSecrets } from '../secrets/task-secrets.js';
import type { Session } from '../session/session.js';
import { keptLog } from './attempt-log.js';
import { failureOf, hasSpecOfItsKind, type StopReason } from './outcome.js';

export class TaskRun {
  private readonly controller = new AbortController();
  private stopReason: StopReason | undefined;

  constructor(
    readonly task: Task,
    readonly session: Session,
    readonly log: Logger,
  ) {
    setMaxListeners(0, this.controller.signal);
  }

  static key(task: Pick<Task, 'taskId' | 'attempt'>, session: Session): string {
    return `${session.id}/${task.taskId}/${task.attempt}`;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get stopped(): StopReason | undefined {
    return this.stopReason;
  }

  /** Asks the driver call to stop. The loss of the claim replaces every earlier reason. */
  stop(reason: StopReason): void {
    const claimLost = reason === 'stale' || reason === 'session';
    if (this.stopReason === undefined || claimLost) this.stopReason = reason;
    this.controller.abort(new Error(`the task was stopped: ${reason}`));
  }

  /**
   * Runs the driver method of the task. Never rejects. Removes known secrets from steps and outcome, because they become events. `keep` gets
   * the lines that should survive the process.
   */
  async call(
    open: OpenDriver | undefined,
    secrets: TaskSecrets,
    progress: (step: string) => void,
    keep: (line: string) => void = () => undefined,
  ): Promise<TaskOutcome> {
    const noted = (step: string): void => {
      keep(`step ${step}`);
      progress(knownSecrets.cutText(step));
    };
    return knownSecrets.cutJson(await this.outcome(open, secrets, noted, keep));
  }

  private async outcome(
    open: OpenDriver | undefined,
    secrets: TaskSecrets,
    progress: (step: string) => void,
    keep: (line: string) => void,
  ): Promise<TaskOutcome> {
    const { task, signal, log } = this;
    const { taskId, attempt, resource } = task;
    const checkpoint = (): void => this.checkpoint();
    try {
      checkpoint();
      if (!open) throw new DriverError('transient', `driver ${task.driver.name} is not open on this conductor`);
      if (!hasSpecOfItsKind(task)) throw new DriverError('permanent', 'the task has no specification of its resource');
      const identity = { taskId, attempt, generation: resource.generation };
      const ctx = open.callContext({ signal, log: keptLog(log, keep), progress, task: identity, checkpoint });
      const complete = await secrets.resolve(task, open.driver, ctx);
      return {
        type: 'done',
        ...builtOn(open.engines ?? (await open.identify(ctx)), await dispatchTask(open.driver, ctx, complete)),
      };
    } catch (error) {
      this.logFailure(error);
      return failureOf(error);
    }
  }

  /** Logs a stack only for unknown errors. A stopped call is not a failure. */
  private logFailure(error: unknown): void {
    const { stopReason } = this;
    if (stopReason !== undefined) this.log.info({ stopped: stopReason }, 'driver call stopped');
    else if (error instanceof DriverError && error.cause === undefined)
      this.log.warn({ failure: error.failure, reason: error.message }, 'driver call failed');
    else this.log.warn({ err: error }, 'driver call failed');
  }

  private checkpoint(): void {
    if (!this.session.isAlive()) this.stop('session');
    this.signal.throwIfAborted();
  }
}

/** Adds the identity of the only engine or cloud to the result of a node that was built; a driver of several has named it. */
function builtOn([engine, ...others]: readonly string[] = [], completed: DriverTaskResult): DriverTaskResult {
  if (engine === undefined || others.length > 0) return completed;
  if (completed.kind !== 'node.create' && completed.kind !== 'node.rebuild') return completed;
  return { ...completed, result: { engine, ...completed.result } };
}
