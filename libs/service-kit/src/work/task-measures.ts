import type { ReportRequest } from '@stave/contracts';
import { counter, gauge } from '@stave/platform';
import { RetryingTasks } from './retrying-tasks.js';
import type { TaskIndex } from './task-index.js';

const openTasks = gauge({
  name: 'stave_open_tasks',
  help: 'Tasks that wait for a conductor or are run by one; the same in each replica of a service',
  labels: ['service', 'resource'],
});

const retryingTasks = gauge({
  name: 'stave_retrying_tasks',
  help: 'Open tasks whose last attempt has failed; the same in each replica of a service',
  labels: ['service', 'resource'],
});

const oldestRetrying = gauge(
  {
    name: 'stave_oldest_retrying_task_age_seconds',
    help: 'Time since the first failed attempt of the task that has been retried for longest, as far as this process has seen it; 0 without one',
    labels: ['service', 'resource'],
  },
  'highest',
);

const claims = counter({
  name: 'stave_task_claims_total',
  help: 'Tasks that this service has handed out to conductors',
  labels: ['kind'],
});

const reports = counter({
  name: 'stave_task_reports_total',
  help: 'Ends of attempts that conductors have reported; `outcome`: `done`, `released`, `failed-<class>`, or `stale` where the claim was not current',
  labels: ['kind', 'outcome'],
});

/** Measures the tasks of one resource type. */
export class TaskMeasures {
  private readonly retrying: RetryingTasks;

  constructor(labels: { readonly service: string; readonly resource: string }, index: TaskIndex, now: () => number) {
    this.retrying = new RetryingTasks(now);
    openTasks.from(labels, index, ({ size }) => size);
    retryingTasks.from(labels, this.retrying, ({ size }) => size);
    oldestRetrying.from(labels, this.retrying, ({ oldestMs }) => oldestMs / 1_000);
  }

  /** To be called whenever the task of a resource may have changed; `wanted` is undefined when it has none. */
  note(id: string, wanted: { readonly failures?: number; readonly retriesExhausted?: boolean } | undefined): void {
    this.retrying.note(id, (wanted?.failures ?? 0) > 0 && wanted?.retriesExhausted !== true);
  }

  claimed(kind: string): void {
    claims({ kind });
  }

  /** Steps of an attempt are not counted. */
  reported(kind: string | undefined, outcome: ReportRequest['outcome']): void {
    if (outcome.type === 'progress') return;
    const ended = outcome.type === 'failed' ? `failed-${outcome.failure}` : outcome.type;
    reports({ kind: kind ?? 'superseded', outcome: ended });
  }

  stale(kind: string | undefined): void {
    reports({ kind: kind ?? 'superseded', outcome: 'stale' });
  }
}
