import type { DriverTaskResult, FailureClass, TaskKind } from '@stave/driver-sdk';
import type { DomainEvent } from '../kernel/decider.js';

/** A conductor claimed the task. No side effect happens before this event. */
export type TaskClaimed<K extends TaskKind = TaskKind> = DomainEvent<
  'TaskClaimed',
  {
    readonly taskId: string;
    readonly kind: K;
    readonly generation: number;
    readonly attempt: number;
    readonly conductor: string;
    readonly session: string;
    readonly epoch: number;
  }
>;
/** The conductor that holds the task started another step. */
export type TaskProgressed = DomainEvent<
  'TaskProgressed',
  { readonly taskId: string; readonly attempt: number; readonly step: string }
>;
/** The conductor that holds the task completed it. */
export type TaskCompleted<K extends TaskKind = TaskKind> = DomainEvent<
  'TaskCompleted',
  { readonly taskId: string; readonly generation: number; readonly attempt: number } & DriverTaskResult<K>
>;
/**
 * The attempt failed. With `retryAt` it is retried then; without it, the retries are exhausted until an operator
 * retries the task.
 */
export type TaskFailed<K extends TaskKind = TaskKind> = DomainEvent<
  'TaskFailed',
  {
    readonly taskId: string;
    readonly kind: K;
    readonly attempt: number;
    readonly failure: FailureClass;
    readonly message: string;
    readonly retryAt?: string;
  }
>;
/** The conductor returned the task without completing it: it drains, stops, or the task was cancelled or superseded. */
export type TaskReleased = DomainEvent<
  'TaskReleased',
  { readonly taskId: string; readonly attempt: number; readonly reason: string }
>;

export type TaskEvent<K extends TaskKind = TaskKind> =
  TaskClaimed<K> | TaskProgressed | TaskCompleted<K> | TaskFailed<K> | TaskReleased;
