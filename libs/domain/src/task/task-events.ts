import type { DriverTaskResult, FailureClass, TaskKind } from '@stave/driver-sdk';
import type { DomainEvent } from '../kernel/decider.js';

/** A conductor holds the task from here on; no side effect happens before this fact. */
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
/** The holder began another step. */
export type TaskProgressed = DomainEvent<
  'TaskProgressed',
  { readonly taskId: string; readonly attempt: number; readonly step: string }
>;
/** The holder completed the task; the result is that of the task's kind. */
export type TaskCompleted<K extends TaskKind = TaskKind> = DomainEvent<
  'TaskCompleted',
  { readonly taskId: string; readonly generation: number; readonly attempt: number } & DriverTaskResult<K>
>;
/** The attempt failed; with `retryAt` it is tried again then, without it the task's retries are exhausted until a person retries it. */
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
/** The holder gave it back undone (drain, stop, cancel), or a superseded task's holder stopped. */
export type TaskReleased = DomainEvent<
  'TaskReleased',
  { readonly taskId: string; readonly attempt: number; readonly reason: string }
>;

export type TaskEvent<K extends TaskKind = TaskKind> =
  TaskClaimed<K> | TaskProgressed | TaskCompleted<K> | TaskFailed<K> | TaskReleased;
