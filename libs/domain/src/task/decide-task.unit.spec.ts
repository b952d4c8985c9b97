import type { EventOf } from '../kernel/decider.js';
import { given } from '../kernel/given.fixture.js';
import { decideClaim, decideReport, type ClaimCommand, type TaskOutcome } from './decide-task.js';
import { doneOf } from './task-outcomes.fixture.js';
import {
  evolveWork,
  noWork,
  operationOfWork,
  wantTask,
  type TaskEvent,
  type TaskEvents,
  type Work,
} from './task-state.js';

const wanted = wantTask(noWork as Work, 'r1', 'node.create', 1, 'op1');
const taskId = wanted.wanted?.taskId ?? '';
const next = wantTask(wanted, 'r1', 'node.delete', 2, 'op2');
const work = { initial: wanted, evolve: (s: Work, e: TaskEvent) => evolveWork(s, e) };
const alive = (...sessions: string[]) => ({ isLive: (s: string) => sessions.includes(s) });
const claim = (over: Partial<ClaimCommand> = {}): ClaimCommand => ({
  taskId,
  conductor: 'c1',
  session: 's1',
  epoch: 4,
  now: '2026-01-01T00:00:00.000Z',
  ...alive('s1', 's2'),
  ...over,
});
const claimed = (over: Partial<TaskEvents['TaskClaimed']> = {}): EventOf<TaskEvents, 'TaskClaimed'> => ({
  type: 'TaskClaimed',
  data: { taskId, kind: 'node.create', generation: 1, attempt: 1, conductor: 'c1', session: 's1', epoch: 4, ...over },
});
const report = (outcome: TaskOutcome, over = {}) => ({
  taskId,
  attempt: 1,
  conductor: 'c1',
  session: 's1',
  outcome,
  ...over,
});
const failed = (retryAt?: string): TaskEvent => ({
  type: 'TaskFailed',
  data: {
    taskId,
    kind: 'node.create',
    attempt: 1,
    failure: 'transient',
    message: 'm',
    ...(retryAt === undefined ? {} : { retryAt }),
  },
});

describe('a claim of a task', () => {
  it('a claim starts the first attempt of a task that no conductor holds', () =>
    given(work)
      .when(w => decideClaim(claim(), w))
      .then(claimed()));
  it('a claim is refused while another live session holds the task', () =>
    given(work, claimed())
      .when(w => decideClaim(claim({ session: 's2' }), w))
      .thenRefused('task-claimed'));
  it('a repeated claim of the session that holds the task returns the same claim', () =>
    given(work, claimed())
      .when(w => decideClaim(claim(), w))
      .then());
  it('a claim is refused by a process whose view of the ring is older than the current claim', () =>
    given(work, claimed({ session: 's3', conductor: 'c3', epoch: 5 }))
      .when(w => decideClaim(claim(), w))
      .thenRefused('ring-behind'));
  it('a claim starts the next attempt when the session of the current claim has ended', () =>
    given(work, claimed())
      .when(w => decideClaim(claim({ session: 's2', conductor: 'c2', ...alive('s2') }), w))
      .then(claimed({ attempt: 2, session: 's2', conductor: 'c2' })));
  it('a claim is refused for a session that has ended', () =>
    given(work)
      .when(w => decideClaim(claim(alive()), w))
      .thenRefused('session-ended'));
  it('a claim is refused when the retries are exhausted', () =>
    given(work, claimed(), failed())
      .when(w => decideClaim(claim(), w))
      .thenRefused('retries-exhausted'));
  it('a claim is refused until the back-off is over', () => {
    const after = given(work, claimed(), failed('2026-01-01T00:00:05.000Z'));
    after.when(w => decideClaim(claim(), w)).thenRefused('task-backing-off');
    after.when(w => decideClaim(claim({ now: '2026-01-01T00:00:05.000Z' }), w)).then(claimed({ attempt: 2 }));
  });
  it('a claim is refused for a task that is not wanted any more', () =>
    given(work)
      .when(w => decideClaim(claim({ taskId: 'other' }), w))
      .thenRefused('task-not-found'));
  it('a claim waits for the conductor that holds the superseded task', () => {
    const superseded = evolveWork(evolveWork(wanted, claimed()), claimed());
    const both = { ...next, ...(superseded.claim ? { claim: superseded.claim } : {}) };
    const command = claim({ taskId: both.wanted?.taskId ?? '' });
    given({ ...work, initial: both })
      .when(w => decideClaim(command, w))
      .thenRefused('task-claimed');
    given({ ...work, initial: both })
      .when(w => decideClaim({ ...command, session: 's2', ...alive('s2') }, w))
      .thenTypes('TaskClaimed');
  });
});

describe('a report of a task', () => {
  const done = doneOf('node.create');
  it.each([
    ['attempt', { attempt: 2 }],
    ['session', { session: 's2' }],
    ['conductor', { conductor: 'c2' }],
    ['task', { taskId: 'x' }],
  ])('a report is stale when its %s differs from the claim', (_what, over) =>
    given(work, claimed())
      .when(w => decideReport(report(done, over), w))
      .thenRefused('stale'),
  );
  it('a report is stale after the task has ended', () =>
    given(work, claimed(), { type: 'TaskReleased', data: { taskId, attempt: 1, reason: 'r' } })
      .when(w => decideReport(report(done), w))
      .thenRefused('stale'));
  it('a report completes the task that its conductor holds', () =>
    given(work, claimed())
      .when(w => decideReport(report(done), w))
      .thenTypes('TaskCompleted'));
  it('a report of a superseded task only ends its claim', () => {
    const { claim: held } = evolveWork(wanted, claimed());
    const both: Work = { ...next, ...(held ? { claim: held } : {}) };
    const at = given({ ...work, initial: both });
    at.when(w => decideReport(report(done), w)).then({
      type: 'TaskReleased',
      data: { taskId, attempt: 1, reason: 'superseded' },
    });
    at.when(w => decideReport(report({ type: 'progress', step: 's' }), w)).then();
    expect(evolveWork(both, { type: 'TaskReleased', data: { taskId, attempt: 1, reason: '' } })).toEqual({
      wanted: next.wanted,
    });
  });
  it('a reported failure ends the claim and counts an attempt, and a reported completion ends the work', () => {
    const after = given(work, claimed(), failed('2026-01-01T00:00:05.000Z')).state;
    expect(after).toMatchObject({ wanted: { failures: 1, attempt: 1 } });
    expect(after.claim).toBeUndefined();
    const completed = decideReport(report(done, { attempt: 2 }), evolveWork(after, claimed({ attempt: 2 })));
    if (!completed.ok) throw new Error(completed.refusal.code);
    expect(given(work, claimed({ attempt: 2 }), ...completed.events).state).toEqual({});
  });
});

describe('the operation that facts about a task belong to', () => {
  it('facts about a claimed wanted task belong to its operation', () => {
    expect(operationOfWork(wanted)).toBe('op1');
    expect(operationOfWork(evolveWork(wanted, claimed()))).toBe('op1');
  });

  it('facts about a claimed superseded task belong to its operation', () => {
    const superseded = wantTask(evolveWork(wanted, claimed()), 'r1', 'node.delete', 2, 'op2');
    expect(operationOfWork(superseded)).toBe('op1');
    const released = evolveWork(superseded, {
      type: 'TaskReleased',
      data: { taskId, attempt: 1, reason: 'superseded' },
    });
    expect(operationOfWork(released)).toBe('op2');
  });

  it('facts about a claimed superseded task without an operation belong to no operation', () => {
    const followUp = wantTask(noWork as Work, 'r1', 'node.create', 1, '');
    const superseded = wantTask(evolveWork(followUp, claimed()), 'r1', 'node.delete', 2, 'op2');
    expect(operationOfWork(superseded)).toBeUndefined();
  });
});
