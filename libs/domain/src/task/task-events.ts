import type { DomainEvent } from '../kernel/decider.js';

export type TaskFailureClass = 'transient' | 'capacity' | 'permanent' | 'notFound' | 'conflict' | 'unsupported';

/** A conductor holds the task from here on; no side effect happens before this fact. */
export type TaskClaimed = DomainEvent<
  'TaskClaimed',
  {
    readonly taskId: string;
    readonly kind: string;
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
/** The holder did it. */
export type TaskCompleted = DomainEvent<
  'TaskCompleted',
  {
    readonly taskId: string;
    readonly kind: string;
    readonly generation: number;
    readonly attempt: number;
    readonly result: Readonly<Record<string, unknown>>;
  }
>;
/** The attempt failed; with `retryAt` it is tried again then, without it the task's retries are exhausted until a person retries it. */
export type TaskFailed = DomainEvent<
  'TaskFailed',
  {
    readonly taskId: string;
    readonly kind: string;
    readonly attempt: number;
    readonly failure: TaskFailureClass;
    readonly message: string;
    readonly retryAt?: string;
  }
>;
/** The holder gave it back undone (drain, stop, cancel), or a superseded task's holder stopped. */
export type TaskReleased = DomainEvent<
  'TaskReleased',
  { readonly taskId: string; readonly attempt: number; readonly reason: string }
>;

export type TaskEvent = TaskClaimed | TaskProgressed | TaskCompleted | TaskFailed | TaskReleased;
