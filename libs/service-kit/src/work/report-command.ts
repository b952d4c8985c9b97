import type { ReportRequest } from '@stave/contracts';
import type { TaskKind } from '@stave/driver-sdk';
import { defaultRetryPolicy, retryDelayMs, type ReportCommand, type RetryPolicy, type Work } from '@stave/domain';

export interface RetryChoice {
  readonly nowMs: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly policy?: RetryPolicy;
}

/** What a report asks the decider; a failure that may pass gets the time of its next attempt. */
export function reportCommand<K extends TaskKind>(
  request: ReportRequest<K>,
  work: Work<K>,
  choice: RetryChoice,
): ReportCommand<K> {
  const { taskId, attempt, conductor, session, outcome } = request;
  const command = { taskId, attempt, conductor, session, outcome };
  if (outcome.type !== 'failed') return command;
  const failures = (work.wanted?.failures ?? 0) + 1;
  const delay = retryDelayMs(outcome.failure, failures, choice.random, choice.policy ?? defaultRetryPolicy);
  if (delay === undefined) return command;
  return { ...command, outcome: { ...outcome, retryAt: new Date(choice.nowMs + delay).toISOString() } };
}
