import type { DriverTaskResult, FailureClass, TaskKind } from '@stave/driver-sdk';
import { conflict, type EventOf, type Refusal } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { stableId } from '../kernel/stable-id.js';
import type { EventHandlers } from '../kernel/stream-definition.js';

export interface TaskEvents<K extends TaskKind = TaskKind> {
  /** A conductor claimed the task. No side effect happens before this event. */
  TaskClaimed: {
    readonly taskId: string;
    readonly kind: K;
    readonly generation: number;
    readonly attempt: number;
    readonly conductor: string;
    readonly session: string;
    readonly epoch: number;
  };
  /** The conductor that holds the task started another step. */
  TaskProgressed: { readonly taskId: string; readonly attempt: number; readonly step: string };
  /** The conductor that holds the task completed it. */
  TaskCompleted: {
    readonly taskId: string;
    readonly generation: number;
    readonly attempt: number;
  } & DriverTaskResult<K>;
  /**
   * The attempt failed. With `retryAt` it is retried then; without it, the retries are exhausted until an operator
   * or the node group retries the task.
   */
  TaskFailed: {
    readonly taskId: string;
    readonly kind: K;
    readonly attempt: number;
    readonly failure: FailureClass;
    readonly message: string;
    /** A word for programs that says more than the class. */
    readonly code?: TaskFailureCode;
    /** With the code `plugin-missing`: what the node lacks. Nothing that needs it is placed there for ten minutes. */
    readonly plugin?: string;
    readonly retryAt?: string;
  };
  /** The last log lines of an attempt whose conductor died, which a conductor found in the files of the dead process. */
  TaskLogRecovered: AttemptLines & { readonly taskId: string; readonly conductor: string };
  /** The conductor returned the task without completing it: it drains, stops, or the task was cancelled or superseded. */
  TaskReleased: { readonly taskId: string; readonly attempt: number; readonly reason: string };
}

/** What a driver says, in kebab-case, or `conductor-lost-repeatedly`: each of the last conductors that ran the task died while it did. */
export type TaskFailureCode = string;

/** Returns the code of a failure for clients: its own, else one made from its class, `driver-not-found` where the driver found no unit. */
export const failureCodeOf = (failure: FailureClass, code?: TaskFailureCode): string =>
  code ?? `driver-${failure.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;

export interface AttemptLines {
  readonly attempt: number;
  /** The oldest line first. */
  readonly lines: readonly string[];
}

export type TaskEvent<K extends TaskKind = TaskKind> = EventOf<TaskEvents<K>>;

export interface Claim {
  readonly taskId: string;
  readonly attempt: number;
  readonly conductor: string;
  readonly session: string;
  readonly epoch: number;
  /** The operation that the task belonged to when it was claimed; empty when it belonged to none. */
  readonly operationId: string;
}

interface TaskState<K extends TaskKind = TaskKind> {
  readonly taskId: string;
  readonly kind: K;
  readonly generation: number;
  readonly operationId: string;
  /** The number of attempts started so far. */
  readonly attempt: number;
  readonly failures: number;
  readonly notBefore?: string;
  readonly retriesExhausted?: boolean;
  readonly lastError?: { readonly failure: FailureClass; readonly message: string; readonly code?: TaskFailureCode };
  /** The last attempts in a row whose conductors died: each was followed by a takeover. */
  readonly lost?: readonly LostAttempt[];
  /** The log lines that were recovered of the current attempt and of the lost ones. */
  readonly recovered?: readonly AttemptLines[];
}

interface LostAttempt {
  readonly attempt: number;
  readonly conductor: string;
}

/**
 * A resource's work: at most one task wanted, at most one claim current. While the claim is of an earlier, superseded task,
 * the wanted one waits: tasks of one resource never overlap.
 */
export interface Work<K extends TaskKind = TaskKind> {
  readonly wanted?: TaskState<K>;
  readonly claim?: Claim;
}

export const noWork: Work<never> = {};

/** Returns the work with this task in place of the one wanted before. */
export function wantTask<K extends TaskKind>(
  work: Work<K>,
  resourceId: string,
  kind: K,
  generation: number,
  operationId: string,
): Work<K> {
  return {
    ...work,
    wanted: { taskId: stableId(resourceId, kind, generation), kind, generation, operationId, attempt: 0, failures: 0 },
  };
}

/** Returns the work without a wanted task. A claim remains until its conductor returns it. */
export const withoutWanted = <K extends TaskKind>({ claim }: Work<K>): Work<K> => (claim ? { claim } : {});

/**
 * Returns the operation that a fact about this work belongs to. While a claim is of a superseded task, only that claim can be
 * reported, so its facts belong to the operation of the superseded task, not to that of the wanted one.
 */
export function operationOfWork({ wanted, claim }: Work): string | undefined {
  const current = claim && claim.taskId !== wanted?.taskId ? claim : wanted;
  return current?.operationId || undefined;
}

/** Returns the work with its retries reset, for this operation where one is given. */
export function resetRetries<K extends TaskKind>(work: Work<K>, operationId: string | undefined): Work<K> {
  if (!work.wanted) return work;
  const { retriesExhausted: _before, ...wanted } = withoutLost(work.wanted);
  return { ...work, wanted: { ...wanted, failures: 0, operationId: operationId ?? wanted.operationId } };
}

/** Returns the work without its failures so far: it may start at once. */
export function resetBackoff<K extends TaskKind>(work: Work<K>): Work<K> {
  if (!work.wanted) return work;
  const { notBefore: _time, retriesExhausted: _over, lastError: _error, ...wanted } = work.wanted;
  return { ...work, wanted: { ...wanted, failures: 0 } };
}

/** Returns how often in a row the task was taken over from a conductor that died. */
export const takeoversInARow = ({ lost = [] }: Pick<TaskState, 'lost'>): number => lost.length;

/** Returns the task after a report of an outcome, which shows that its conductor survived the attempt. */
function withoutLost<K extends TaskKind>({ lost: _lost, recovered: _lines, ...task }: TaskState<K>): TaskState<K> {
  return task;
}

/** Returns the task after a claim. A claim that ends another one is a takeover: the conductor of that claim never reported. */
function claimedTask<K extends TaskKind>(task: TaskState<K>, attempt: number, before: Claim | undefined): TaskState<K> {
  if (before?.taskId !== task.taskId) return { ...withoutLost(task), attempt };
  return { ...task, attempt, lost: [...(task.lost ?? []), { attempt: before.attempt, conductor: before.conductor }] };
}

/** Applies a task event to the work of a resource. */
export function evolveWork<K extends TaskKind>(work: Work<K>, event: TaskEvent<K>): Work<K> {
  const { wanted } = work;
  const current = wanted?.taskId === event.data.taskId ? wanted : undefined;
  switch (event.type) {
    case 'TaskClaimed': {
      const { taskId, attempt, conductor, session, epoch } = event.data;
      return {
        ...omitUndefined({ wanted: current ? claimedTask(current, attempt, work.claim) : wanted }),
        claim: { taskId, attempt, conductor, session, epoch, operationId: current?.operationId ?? '' },
      };
    }
    case 'TaskLogRecovered': {
      if (!current) return work;
      const { attempt, lines } = event.data;
      return { ...work, wanted: { ...current, recovered: [...(current.recovered ?? []), { attempt, lines }] } };
    }
    case 'TaskReleased':
      return omitUndefined({ wanted: current ? withoutLost(current) : wanted });
    case 'TaskCompleted':
      return wanted && !current ? { wanted } : {};
    case 'TaskFailed': {
      if (!current) return omitUndefined({ wanted });
      const { failure, message, code, retryAt } = event.data;
      const { notBefore: _before, ...rest } = withoutLost(current);
      const next = retryAt ? { notBefore: retryAt } : { retriesExhausted: true };
      const lastError = { failure, message, ...omitUndefined({ code }) };
      return { wanted: { ...rest, failures: current.failures + 1, lastError, ...next } };
    }
    default:
      return work;
  }
}

interface Worked<K extends TaskKind> {
  readonly generation: number;
  readonly work: Work<K>;
}

/** Returns the next generation of the resource, with this task in place of the one wanted before. */
export const withNextTask = <K extends TaskKind, S extends Worked<K>>(
  state: S,
  resourceId: string | undefined,
  kind: K,
  operationId: string,
): S => {
  const generation = state.generation + 1;
  return { ...state, generation, work: wantTask(state.work, resourceId ?? '', kind, generation, operationId) };
};

/** The effects of events of the wanted task on its resource; its work is changed already. */
interface TaskEffects<S, K extends TaskKind> {
  readonly claimed?: (state: S, data: TaskEvents<K>['TaskClaimed']) => S;
  readonly failed: (state: S, data: TaskEvents<K>['TaskFailed']) => S;
  readonly completed: (state: S, data: TaskEvents<K>['TaskCompleted']) => S;
}

/** Returns the handlers of task events. Events of a task that is not wanted any more change only the work of the resource. */
export function taskHandlers<S extends Worked<K>, K extends TaskKind>({
  claimed = s => s,
  failed,
  completed,
}: TaskEffects<S, K>): EventHandlers<S, TaskEvent<K>> {
  const withWork = (state: S, event: TaskEvent<K>): S => ({ ...state, work: evolveWork(state.work, event) });
  const isWanted = ({ work }: S, taskId: string): boolean => work.wanted?.taskId === taskId;
  const handle =
    <E extends TaskEvent<K>>(effect: (state: S, data: E['data']) => S) =>
    (state: S, event: E): S => {
      const next = withWork(state, event);
      return isWanted(state, event.data.taskId) ? effect(next, event.data) : next;
    };
  return {
    TaskClaimed: handle(claimed),
    TaskProgressed: withWork,
    TaskReleased: withWork,
    TaskLogRecovered: withWork,
    TaskFailed: handle(failed),
    TaskCompleted: handle(completed),
  };
}

/** Refuses a retry of a resource without work whose retries are exhausted. */
export const retryRefusal = (what: string, { wanted }: Work): Refusal | undefined =>
  wanted?.retriesExhausted ? undefined : conflict('nothing-to-retry', `${what} has no failed work`);
