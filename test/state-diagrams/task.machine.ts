import {
  decideClaim,
  decideReport,
  evolveWork,
  noWork,
  resetRetries,
  wantTask,
  type DomainEvent,
  type TaskEvent,
  type TaskOutcome,
  type Work,
} from '@stave/domain';
import type { Machine } from './explore.js';

export const HOLDER = { conductor: 'conductor', session: 'session' };
const LATER = '2026-01-02T00:00:00.000Z';
const MUCH_LATER = '2026-01-03T00:00:00.000Z';

/** What a conductor may report of a task. */
export const outcomes: readonly TaskOutcome[] = [
  { type: 'done', result: { infrastructureId: 'i', address: 'a' } },
  { type: 'failed', failure: 'permanent', message: 'refused' },
  { type: 'failed', failure: 'capacity', message: 'full', retryAt: LATER },
  { type: 'released', reason: 'drain' },
];

/** Claims the task that is wanted, when its back-off is over. */
export const claimOf = (work: Work) =>
  decideClaim(
    { taskId: work.wanted?.taskId ?? '', ...HOLDER, epoch: 0, now: MUCH_LATER, isLive: session => session !== 'dead' },
    work,
  );

/** The report of the current holder. */
export const reportOf = (work: Work, outcome: TaskOutcome) => ({
  taskId: work.claim?.taskId ?? '',
  attempt: work.claim?.attempt ?? 0,
  ...HOLDER,
  outcome,
});

export const workKey = ({ wanted, claim }: Work): unknown => [
  wanted && [wanted.kind, wanted.retriesExhausted, wanted.notBefore],
  claim && claim.taskId === wanted?.taskId,
];

function statusOf({ wanted, claim }: Work): string {
  if (claim) return claim.taskId === wanted?.taskId ? 'Claimed' : 'Superseded';
  if (!wanted) return '[*]';
  if (wanted.retriesExhausted) return 'RetriesExhausted';
  return wanted.notBefore === undefined ? 'Open' : 'BackingOff';
}

type Event = TaskEvent | DomainEvent<'newTaskWanted', object> | DomainEvent<'retryRequested', object>;

function evolve(work: Work, event: Event): Work {
  if (event.type === 'newTaskWanted') return wantTask(work, 'r', 'node.create', generationAfter(work), 'op');
  return event.type === 'retryRequested' ? resetRetries(work, undefined) : evolveWork(work, event);
}

const generationAfter = ({ wanted }: Work): number => (wanted?.generation ?? 0) + 1;

export const taskMachine: Machine<Work> = {
  title: 'Task',
  text: 'A resource wants at most one task at a time. `newTaskWanted` and `retryRequested` stand for events of the resource itself.',
  stream: { initial: noWork, evolve },
  statusOf,
  keyOf: workKey,
  steps: [
    () => ({ ok: true, events: [{ type: 'newTaskWanted', data: {} }] }),
    ({ wanted }) => ({ ok: true, events: wanted?.retriesExhausted ? [{ type: 'retryRequested', data: {} }] : [] }),
    claimOf,
    ...outcomes.map(outcome => (work: Work) => decideReport(reportOf(work, outcome), work)),
  ],
};
