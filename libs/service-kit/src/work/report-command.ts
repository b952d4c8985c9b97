import type { ReportRequest } from '@stave/contracts';
import { defaultRetryPolicy, retryDelayMs, type ReportCommand, type RetryPolicy, type Work } from '@stave/domain';
import type { TaskKind } from '@stave/driver-sdk';

export interface RetryOptions {
  readonly random?: () => number;
  readonly nowMs?: () => number;
  readonly retry?: RetryPolicy;
}

/** Returns the command of a report; a transient failure gets the time of its next attempt. */
export function reportCommand<K extends TaskKind>(
  { taskId, attempt, conductor, session, outcome }: ReportRequest<K>,
  work: Work<K>,
  { random = Math.random, nowMs = Date.now, retry = defaultRetryPolicy }: RetryOptions,
): ReportCommand<K> {
  const command = { taskId, attempt, conductor, session, outcome };
  if (outcome.type !== 'failed') return command;
  const delay = retryDelayMs(outcome.failure, (work.wanted?.failures ?? 0) + 1, random(), retry);
  return delay === undefined ? command : { ...command, retryAt: new Date(nowMs() + delay).toISOString() };
}
