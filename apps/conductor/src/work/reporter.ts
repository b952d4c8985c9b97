import { Injectable } from '@nestjs/common';
import { RefusedError, type ReportReply, type ReportRequest, type Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import { ConductorContext } from '../conductor.context.js';
import { backoffMs } from '../time/backoff.js';
import { pause } from '../time/clock.js';
import { isRetriable, ServiceClient, serviceOf } from '../service-client.js';
import type { Session } from '../session/session.js';

type ReportedTask = Pick<Task, 'taskId' | 'resource' | 'attempt'>;

/** `dropped`: the session ended before an answer, or the service refused the report as invalid. */
export type ReportAnswer = ReportReply | { readonly status: 'dropped' };

@Injectable()
export class Reporter {
  constructor(
    private readonly client: ServiceClient,
    private readonly context: ConductorContext,
  ) {}

  /** Repeats the report until it is answered, the session ends or `cancel` fires. Never throws. */
  async send(session: Session, task: ReportedTask, outcome: TaskOutcome, cancel?: AbortSignal): Promise<ReportAnswer> {
    const { clock, times, log } = this.context;
    const fields = { session: session.id, taskId: task.taskId, resource: task.resource.id, outcome: outcome.type };
    for (let attempt = 0; session.isAlive() && cancel?.aborted !== true; attempt++) {
      try {
        return await this.ask(session, task, outcome);
      } catch (error) {
        if (!isRetriable(error)) {
          log.error({ ...fields, err: error }, 'report refused');
          const isUnknown = error instanceof RefusedError && error.error.kind === 'not-found';
          return { status: isUnknown ? 'stale' : 'dropped' };
        }
        log.debug({ ...fields, err: error, attempt }, 'report was not answered, retrying');
        await pause(clock, backoffMs(attempt, times.retry), cancel ?? session.signal);
      }
    }
    return { status: 'dropped' };
  }

  /**
   * Reports once that a task of an ended session was released. The report of a task that another conductor has claimed since is refused
   * as stale and counted, and does not disturb that conductor. Never throws.
   */
  async sendLate(session: Session, task: ReportedTask): Promise<ReportAnswer> {
    try {
      return await this.ask(session, task, { type: 'released', reason: 'session' });
    } catch (error) {
      this.context.log.debug({ session: session.id, taskId: task.taskId, err: error }, 'late report was not answered');
      return { status: 'dropped' };
    }
  }

  private ask(session: Session, task: ReportedTask, outcome: TaskOutcome): Promise<ReportReply> {
    const { taskId, resource, attempt } = task;
    const by = { conductor: this.context.id, session: session.id };
    const request: ReportRequest = { taskId, resource, attempt, ...by, outcome };
    return this.client.ask<ReportReply>(serviceOf[resource.type], ['task', 'report'], request);
  }
}
