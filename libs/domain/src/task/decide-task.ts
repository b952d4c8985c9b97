import type { DriverTaskResult, FailureClass, TaskKind } from '@stave/driver-sdk';
import { accept, conflict, refuse, type Decision, type DomainEvent } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { takeoversInARow, type AttemptLines, type TaskEvent, type TaskFailureCode, type Work } from './task-state.js';

export interface ClaimCommand {
  readonly taskId: string;
  readonly conductor: string;
  readonly session: string;
  readonly epoch: number;
  readonly now: string;
  /** Returns whether a session is live by the ring stream up to `epoch` or later. */
  readonly isLive: (session: string) => boolean;
}

/** The outcome of an attempt, or its step so far. */
export type TaskOutcome<K extends TaskKind = TaskKind> =
  | { readonly type: 'progress'; readonly step: string }
  | ({ readonly type: 'done' } & DriverTaskResult<K>)
  | {
      readonly type: 'failed';
      readonly failure: FailureClass;
      readonly message: string;
      readonly code?: TaskFailureCode;
      readonly plugin?: string;
    }
  | { readonly type: 'released'; readonly reason: string };

export interface ReportCommand<K extends TaskKind = TaskKind> {
  readonly taskId: string;
  readonly attempt: number;
  readonly conductor: string;
  readonly session: string;
  readonly outcome: TaskOutcome<K>;
  /** The time of the attempt after a failure (ISO 8601), which the service decides; absent when the retries are exhausted. */
  readonly retryAt?: string;
}

/**
 * Decides a claim, which is refused while another is current, unless the session of that claim has ended. A repeated claim of the same
 * session results in no event. Only a replica that knows the ring up to the claim decides that its session has ended: another may not
 * have seen it join.
 */
export function decideClaim<K extends TaskKind>(command: ClaimCommand, work: Work<K>): Decision<TaskEvent<K>> {
  const { wanted, claim } = work;
  if (!wanted || wanted.taskId !== command.taskId)
    return refuse(conflict('task-not-found', 'the task is no longer wanted'));
  if (!command.isLive(command.session)) return refuse(conflict('session-ended', 'the session has ended'));
  if (wanted.retriesExhausted)
    return refuse(
      conflict(
        'retries-exhausted',
        'the retries of the task are exhausted; an operator or the node group must retry it',
      ),
    );
  if (claim && command.isLive(claim.session)) {
    const own = claim.session === command.session && claim.taskId === command.taskId;
    return own ? accept() : refuse(conflict('task-claimed', 'another conductor has claimed the task'));
  }
  if (isLostRepeatedly(work))
    return refuse(conflict('conductor-lost-repeatedly', 'the task has ended too many conductors in a row'));
  if (claim && claim.epoch > command.epoch)
    return refuse(
      conflict(
        'ring-behind',
        `the task was claimed at epoch ${claim.epoch} of the ring, which this replica has not reached`,
      ),
    );
  if (wanted.notBefore !== undefined && wanted.notBefore > command.now)
    return refuse(conflict('task-backing-off', `the task is retried at ${wanted.notBefore}`));
  const { taskId, kind, generation } = wanted;
  const { conductor, session, epoch } = command;
  return accept({
    type: 'TaskClaimed',
    data: { taskId, kind, generation, attempt: wanted.attempt + 1, conductor, session, epoch },
  });
}

/** Accepts a report that matches the current claim; others are `stale`. A report of a superseded task only ends its claim. */
export function decideReport<K extends TaskKind>(command: ReportCommand<K>, work: Work<K>): Decision<TaskEvent<K>> {
  const { claim, wanted } = work;
  const equal =
    claim?.taskId === command.taskId &&
    claim.attempt === command.attempt &&
    claim.session === command.session &&
    claim.conductor === command.conductor;
  if (!equal) return refuse(conflict('stale', 'the claim of the report is not the current one'));
  const { taskId, attempt, outcome, retryAt } = command;
  const superseded = wanted?.taskId !== taskId;
  if (outcome.type === 'progress')
    return superseded ? accept() : accept({ type: 'TaskProgressed', data: { taskId, attempt, step: outcome.step } });
  if (superseded || outcome.type === 'released') {
    const reason = outcome.type === 'released' ? outcome.reason : 'superseded';
    return accept({ type: 'TaskReleased', data: { taskId, attempt, reason } });
  }
  const { generation } = wanted;
  if (outcome.type === 'done') {
    const { kind, result } = outcome;
    return accept({ type: 'TaskCompleted', data: { taskId, kind, generation, attempt, result } });
  }
  const { failure, message, code, plugin } = outcome;
  return accept({
    type: 'TaskFailed',
    data: { taskId, kind: wanted.kind, attempt, failure, message, ...omitUndefined({ code, plugin, retryAt }) },
  });
}

/** The takeovers in a row after which a task is not taken over again. */
export const MAX_TAKEOVERS = 3;
/** From this takeover in a row on a conductor runs the task alone among such tasks, so that those that died beside it are not blamed. */
const ISOLATED_FROM = 2;

const isLostRepeatedly = ({ wanted, claim }: Work): boolean =>
  wanted !== undefined && claim?.taskId === wanted.taskId && takeoversInARow(wanted) >= MAX_TAKEOVERS;

/** Returns whether the current attempt, or the next one after the death of its conductor, is one that runs alone among such tasks. */
export function isSuspect({ wanted, claim }: Work, isLive: (session: string) => boolean): boolean {
  if (!wanted || claim?.taskId !== wanted.taskId) return false;
  return takeoversInARow(wanted) + (isLive(claim.session) ? 0 : 1) >= ISOLATED_FROM;
}

/** The lines of a lost attempt that its failure quotes; the history has all that were recovered. */
const QUOTED_LINES = 3;

/**
 * Returns the report that ends a task whose conductors died too often in a row; undefined while it may be taken over, or while this
 * process has not seen the ring up to the claim.
 */
export function reportOfLostTask<K extends TaskKind>(
  work: Work<K>,
  { epoch, isLive }: Pick<ClaimCommand, 'epoch' | 'isLive'>,
): ReportCommand<K> | undefined {
  const { wanted, claim } = work;
  if (!wanted || !claim || wanted.retriesExhausted || !isLostRepeatedly(work)) return undefined;
  if (isLive(claim.session) || claim.epoch > epoch) return undefined;
  const attempts = [...(wanted.lost ?? []), { attempt: claim.attempt, conductor: claim.conductor }];
  const quotes = attempts.map(({ attempt, conductor }) => {
    const lines = wanted.recovered?.find(r => r.attempt === attempt)?.lines.slice(-QUOTED_LINES) ?? [];
    return `${conductor} (attempt ${attempt}): ${lines.length > 0 ? lines.join(' | ') : 'no log lines were found'}`;
  });
  const message = `${attempts.length} conductors in a row ended while they ran this task; their last log lines: ${quotes.join('; ')}`;
  const { taskId, attempt, conductor, session } = claim;
  const outcome = { type: 'failed', failure: 'permanent', code: 'conductor-lost-repeatedly', message } as const;
  return { taskId, attempt, conductor, session, outcome };
}

/** Recovered log lines of an attempt, as a conductor found them. */
export interface RecoveredLog extends AttemptLines {
  readonly taskId: string;
  readonly conductor: string;
}

/** Records recovered lines once, as long as the attempt is the current one or one of those lost in a row before it. */
export function decideRecoveredLog<K extends TaskKind>(
  log: RecoveredLog,
  { wanted, claim }: Work<K>,
): Decision<TaskEvent<K>> {
  if (!wanted || claim?.taskId !== wanted.taskId || wanted.taskId !== log.taskId) return accept();
  const isOf = (a: { readonly attempt: number; readonly conductor: string }): boolean =>
    a.attempt === log.attempt && a.conductor === log.conductor;
  const isKnown = wanted.recovered?.some(r => r.attempt === log.attempt);
  if (isKnown || log.lines.length === 0 || ![claim, ...(wanted.lost ?? [])].some(isOf)) return accept();
  const { taskId, conductor, attempt, lines } = log;
  return accept({ type: 'TaskLogRecovered', data: { taskId, conductor, attempt, lines } });
}

export interface RetryPolicy {
  readonly maxFailures: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { maxFailures: 6, baseMs: 500, maxMs: 30_000 };

/**
 * Returns the milliseconds until the next attempt, or undefined when the retries are exhausted. Exponential back-off with equal jitter
 * (half fixed, half random; Brooker, "Exponential Backoff and Jitter"). `random` is in [0, 1).
 */
export function retryDelayMs(
  failure: FailureClass,
  failures: number,
  random: number,
  policy: RetryPolicy = defaultRetryPolicy,
): number | undefined {
  const retriable = failure === 'transient' || failure === 'conflict' || failure === 'capacity';
  if (!retriable || failures >= policy.maxFailures) return undefined;
  const ceiling = Math.min(policy.maxMs, policy.baseMs * 2 ** (failures - 1));
  return Math.round(ceiling / 2 + (random * ceiling) / 2);
}

/** Decides a report like {@link decideReport}; an accepted event is followed by those that it causes for the resource. */
export function reportTask<K extends TaskKind, E extends DomainEvent>(
  command: ReportCommand<K>,
  work: Work<K>,
  consequences: (event: TaskEvent<K>) => readonly E[],
): Decision<TaskEvent<K> | E> {
  const decision = decideReport(command, work);
  const [event] = decision.ok ? decision.events : [];
  return event ? accept<TaskEvent<K> | E>(event, ...consequences(event)) : decision;
}
