import { RefusedError, type ReportReply, type ReportRequest, type ServiceName, type Task } from '@stave/contracts';
import type { TaskOutcome } from '@stave/domain';
import type { UnitKind } from '@stave/driver-sdk';
import type { Logger } from 'pino';
import type { BackoffSettings } from '../time/backoff.js';
import { backoffMs } from '../time/backoff.js';
import { pause, type Clock } from '../time/clock.js';
import { isWorthRepeating, type ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';

/** Who decides about resources of a type. */
export const serviceOf: Readonly<Record<UnitKind, ServiceName>> = {
  cluster: 'cluster-service',
  node: 'nodegroup-service',
  container: 'container-scheduler',
};

/** What a report needs to know of its task. */
export type ReportedTask = Pick<Task, 'taskId' | 'resource' | 'attempt'>;

/** `dropped`: nobody will answer any more, or the service refuses the report as such. */
export type ReportAnswer = ReportReply | { readonly status: 'dropped' };

export interface ReporterParts {
  readonly client: ServiceClient;
  readonly conductor: string;
  readonly clock: Clock;
  readonly retry: BackoffSettings;
  readonly log: Logger;
}

/** Brings reports to the services. */
export class Reporter {
  constructor(private readonly parts: ReporterParts) {}

  /** Repeats the report until it is answered, the session ends, or `giveUp` fires. Never throws. */
  async send(session: Session, task: ReportedTask, outcome: TaskOutcome, giveUp?: AbortSignal): Promise<ReportAnswer> {
    const { clock, retry, log } = this.parts;
    const fields = { session: session.id, taskId: task.taskId, resource: task.resource.id, outcome: outcome.type };
    for (let attempt = 0; session.isAlive() && giveUp?.aborted !== true; attempt++) {
      try {
        return await this.ask(session, task, outcome);
      } catch (error) {
        if (!isWorthRepeating(error)) {
          log.error({ ...fields, err: error }, 'report refused');
          return { status: isUnknownResource(error) ? 'stale' : 'dropped' };
        }
        log.debug({ ...fields, err: error, attempt }, 'report was not answered, trying again');
        await pause(clock, backoffMs(attempt, retry), giveUp ?? session.signal);
      }
    }
    return { status: 'dropped' };
  }

  /**
   * Says of a task whose session ended meanwhile that nothing more will be done about it: once, and whoever has it by now stays
   * undisturbed, for then it is refused as stale, counted and shown. Never throws.
   */
  async sendLate(session: Session, task: ReportedTask): Promise<ReportAnswer> {
    try {
      return await this.ask(session, task, { type: 'released', reason: 'session' });
    } catch (error) {
      this.parts.log.debug({ session: session.id, taskId: task.taskId, err: error }, 'late report was not answered');
      return { status: 'dropped' };
    }
  }

  private ask(session: Session, task: ReportedTask, outcome: TaskOutcome): Promise<ReportReply> {
    const { taskId, resource, attempt } = task;
    const { conductor, client } = this.parts;
    const request: ReportRequest = { taskId, resource, attempt, conductor, session: session.id, outcome };
    return client.ask<ReportReply>(serviceOf[resource.type], ['task', 'report'], request);
  }
}

function isUnknownResource(error: unknown): boolean {
  return error instanceof RefusedError && error.error.kind === 'not-found';
}
