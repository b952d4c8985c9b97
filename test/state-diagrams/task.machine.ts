import {
  decideClaim,
  decideReport,
  evolveWork,
  noWork,
  resetRetries,
  wantTask,
  type Decision,
  type DomainEvent,
  type ReportCommand,
  type TaskEvent,
  type Work,
} from '@stave/domain';
import { doneOf } from '@stave/domain/testing';
import type { TaskKind } from '@stave/driver-sdk';
import type { Machine } from './explore.js';

const HOLDER = { conductor: 'conductor', session: 'session' };
const LATER = '2026-01-02T00:00:00.000Z';
const MUCH_LATER = '2026-01-03T00:00:00.000Z';

/** The reports of an attempt that did not succeed. */
const failures = [
  { outcome: { type: 'failed', failure: 'permanent', message: 'refused' } },
  { outcome: { type: 'failed', failure: 'capacity', message: 'full' }, retryAt: LATER },
  { outcome: { type: 'released', reason: 'drain' } },
] as const;

/** Claims the wanted task after its back-off. */
export const claimOf = (work: Work) =>
  decideClaim(
    { taskId: work.wanted?.taskId ?? '', ...HOLDER, epoch: 0, now: MUCH_LATER, isLive: session => session !== 'dead' },
    work,
  );

/** The reports that the conductor with the current claim may send. */
function reportsOf<K extends TaskKind>({ wanted, claim }: Work<K>): readonly ReportCommand<K>[] {
  if (!wanted || !claim) return [];
  const reports: readonly Pick<ReportCommand<K>, 'outcome' | 'retryAt'>[] = [
    { outcome: doneOf(wanted.kind) },
    ...failures,
  ];
  return reports.map(report => ({ taskId: claim.taskId, attempt: claim.attempt, ...HOLDER, ...report }));
}

const COUNT = failures.length + 1;

/** Returns one step for each report. */
export const reportSteps = <S, K extends TaskKind>(
  workOf: (state: S) => Work<K>,
  report: (command: ReportCommand<K>, state: S) => Decision<DomainEvent>,
): readonly ((state: S) => Decision<DomainEvent>)[] =>
  Array.from({ length: COUNT }, (_, i) => (state: S) => {
    const command = reportsOf(workOf(state))[i];
    return command ? report(command, state) : { ok: true, events: [] };
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
    ...reportSteps((work: Work) => work, decideReport),
  ],
};
