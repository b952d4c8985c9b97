import type { FailureClass, TaskKind } from '@stave/driver-sdk';
import { stableId } from '../kernel/stable-id.js';
import type { TaskEvent } from './task-events.js';

export interface Claim {
  readonly taskId: string;
  readonly attempt: number;
  readonly conductor: string;
  readonly session: string;
  readonly epoch: number;
  /** The operation that the task belonged to when it was claimed; empty when it belonged to none. */
  readonly operationId: string;
}

/** The one piece of infrastructure work that a resource wants done now. */
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
  readonly lastError?: { readonly failure: FailureClass; readonly message: string };
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
  const { retriesExhausted: _before, ...wanted } = work.wanted;
  return { ...work, wanted: { ...wanted, failures: 0, operationId: operationId ?? wanted.operationId } };
}

/** Applies a task event. The `evolve` of each resource calls it and adds the effect on the resource. */
export function evolveWork<K extends TaskKind>(work: Work<K>, event: TaskEvent<K>): Work<K> {
  const { wanted } = work;
  const current = wanted?.taskId === event.data.taskId ? wanted : undefined;
  switch (event.type) {
    case 'TaskClaimed': {
      const { taskId, attempt, conductor, session, epoch } = event.data;
      return {
        ...(current ? { wanted: { ...current, attempt } } : wanted ? { wanted } : {}),
        claim: { taskId, attempt, conductor, session, epoch, operationId: current?.operationId ?? '' },
      };
    }
    case 'TaskProgressed':
      return work;
    case 'TaskReleased':
      return wanted ? { wanted } : {};
    case 'TaskCompleted':
      return wanted && !current ? { wanted } : {};
    case 'TaskFailed': {
      if (!wanted) return {};
      if (!current) return { wanted };
      const { failure, message, retryAt } = event.data;
      const { notBefore: _before, ...rest } = current;
      const lastError = { failure, message };
      const failures = current.failures + 1;
      return {
        wanted: retryAt
          ? { ...rest, failures, lastError, notBefore: retryAt }
          : { ...rest, failures, lastError, retriesExhausted: true },
      };
    }
    default:
      return work;
  }
}
