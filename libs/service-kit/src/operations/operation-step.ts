import { failureCodeOf, omitUndefined } from '@stave/domain';
import type { FailureClass } from '@stave/driver-sdk';
import { splitStream, type RecordedEvent } from '@stave/platform';

/** One task of a conductor, as the operation that it belongs to shows it. Members that are absent are not known. */
export interface OperationStep {
  readonly name: string;
  /** `PENDING`: its conductor released it, and no conductor has claimed it again. */
  readonly status: OperationStepStatus;
  readonly attempts: number;
  readonly resource: { readonly type: string; readonly id: string };
  /** The time of the first attempt. */
  readonly startedAt: string;
  /** The time at which it was done, or its last attempt failed. */
  readonly finishedAt?: string;
  /** The conductor of the last attempt. */
  readonly conductor?: string;
  /** The time of the next attempt of a step that is retried. */
  readonly nextAttemptAt?: string;
  readonly step?: string;
  readonly lastError?: string;
  /** The code of that error; absent where it was seen by a release without codes. */
  readonly lastErrorCode?: string;
}

export type OperationStepStatus = 'PENDING' | 'RUNNING' | 'RETRYING' | 'DONE' | 'FAILED';

interface TaskFact {
  readonly kind?: string;
  readonly attempt: number;
  readonly conductor?: string;
  readonly step?: string;
  readonly message?: string;
  readonly failure?: FailureClass;
  readonly code?: string;
  readonly retryAt?: string;
}

const facts = new Set(['TaskClaimed', 'TaskProgressed', 'TaskCompleted', 'TaskFailed', 'TaskReleased']);
/** Whether an event changes a step. */
export const isTaskFact = ({ type }: RecordedEvent): boolean => facts.has(type);

/** Returns the step after an event of its task. */
export function nextStep(known: OperationStep | undefined, event: RecordedEvent): OperationStep {
  const fact = event.data as TaskFact;
  const { category: type, id } = splitStream(event.stream);
  const { message, failure, code, retryAt } = fact;
  const { time } = event.metadata;
  const status = statusAfter(event.type, fact);
  return {
    name: known?.name ?? `${fact.kind ?? 'task'} ${id}`,
    attempts: Math.max(known?.attempts ?? 0, fact.attempt),
    status,
    resource: known?.resource ?? { type, id },
    startedAt: known?.startedAt ?? time,
    ...omitUndefined({
      conductor: fact.conductor ?? known?.conductor,
      finishedAt: status === 'DONE' || status === 'FAILED' ? time : undefined,
      nextAttemptAt: status === 'RETRYING' ? retryAt : undefined,
      lastError: message ?? known?.lastError,
      lastErrorCode: failure === undefined ? known?.lastErrorCode : failureCodeOf(failure, code),
      step: event.type === 'TaskProgressed' ? fact.step : undefined,
    }),
  };
}

function statusAfter(type: string, { retryAt }: TaskFact): OperationStepStatus {
  if (type === 'TaskFailed') return retryAt ? 'RETRYING' : 'FAILED';
  if (type === 'TaskCompleted') return 'DONE';
  return type === 'TaskReleased' ? 'PENDING' : 'RUNNING';
}
