import type { EventOf } from '../kernel/decider.js';
import { given } from '../kernel/given.fixture.js';
import {
  decideClaim,
  decideRecoveredLog,
  decideReport,
  isSuspect,
  reportOfLostTask,
  type ClaimCommand,
  type TaskOutcome,
} from './decide-task.js';
import { doneOf } from './task-outcomes.fixture.js';
import {
  evolveWork,
  noWork,
  operationOfWork,
  resetRetries,
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

describe('a task whose conductors die', () => {
  const session = (n: number): string => `s${n}`;
  const takenBy = (...attempts: readonly number[]) =>
    attempts.map(attempt => claimed({ attempt, session: session(attempt), conductor: `c${attempt}` }));
  const dead = alive();
  const after = (...events: readonly TaskEvent[]) => given(work, ...events);
  const isTaken = (state: Work): boolean => decideClaim(claim({ session: 's9', ...alive('s9') }), state).ok;
  const endOf = (state: Work) => reportOfLostTask(state, { epoch: 9, ...dead });

  it('a task is taken over three times in a row and no more', () => {
    for (const last of [1, 2, 3]) {
      const { state } = after(...takenBy(...[1, 2, 3].slice(0, last)));
      expect([isTaken(state), endOf(state)]).toEqual([true, undefined]);
    }
    const { state } = after(...takenBy(1, 2, 3, 4));
    expect(isTaken(state)).toBe(false);
    expect(endOf(state)).toMatchObject({ attempt: 4, session: 's4', outcome: { code: 'conductor-lost-repeatedly' } });
  });
  it('a task of a live conductor, or of a session that this process has not seen yet, is not ended', () => {
    const { state } = after(...takenBy(1, 2, 3, 4));
    expect(reportOfLostTask(state, { epoch: 9, ...alive('s4') })).toBeUndefined();
    expect(reportOfLostTask(state, { epoch: 3, ...dead })).toBeUndefined();
  });
  it.each([
    ['failed', failed('2026-01-01T00:00:00.000Z')],
    ['released', { type: 'TaskReleased', data: { taskId, attempt: 3, reason: 'draining' } }],
  ] as const)('an attempt that was %s ends the row, because its conductor survived', (_how, event) => {
    const { state } = after(...takenBy(1, 2, 3), event, ...takenBy(4, 5, 6));
    expect(endOf(state)).toBeUndefined();
    expect(endOf(takenBy(7).reduce(evolveWork, state))).toBeDefined();
  });
  it('a reported step does not end the row: a task may end its conductor at a later step', () => {
    const step: TaskEvent = { type: 'TaskProgressed', data: { taskId, attempt: 3, step: 'build' } };
    expect(endOf(after(...takenBy(1, 2, 3), step, ...takenBy(4)).state)).toBeDefined();
  });
  it('a retry begins a new row', () => {
    const { state } = after(...takenBy(1, 2, 3, 4), failed());
    expect(endOf(takenBy(5).reduce(evolveWork, resetRetries(state, undefined)))).toBeUndefined();
  });
  it('the failure quotes the last recovered lines of each conductor and says where there are none', () => {
    const log = { taskId, conductor: 'c2', attempt: 2, lines: ['one', 'two', 'three', 'four'] };
    const { state } = after(...takenBy(1, 2, 3, 4));
    const recorded = decideRecoveredLog(log, state);
    if (!recorded.ok) throw new Error(recorded.refusal.code);
    const known = recorded.events.reduce(evolveWork, state);
    expect(endOf(known)?.outcome).toMatchObject({
      message:
        '4 conductors in a row ended while they ran this task; their last log lines: ' +
        'c1 (attempt 1): no log lines were found; c2 (attempt 2): two | three | four; ' +
        'c3 (attempt 3): no log lines were found; c4 (attempt 4): no log lines were found',
    });
    expect(decideRecoveredLog(log, known)).toEqual({ ok: true, events: [] });
  });
  it.each([
    ['another task', { taskId: 'other' }],
    ['another conductor', { conductor: 'c9' }],
    ['an attempt before the row', { attempt: 9 }],
    ['nothing', { lines: [] }],
  ])('recovered lines of %s are ignored', (_what, over) => {
    const log = { taskId, conductor: 'c1', attempt: 1, lines: ['one'], ...over };
    expect(decideRecoveredLog(log, after(...takenBy(1, 2)).state)).toEqual({ ok: true, events: [] });
  });
  it('a task is suspect after the death of its second conductor in a row', () => {
    const live = (s: Work, n: number) => isSuspect(s, alive(session(n)).isLive);
    expect(live(after(...takenBy(1, 2)).state, 2)).toBe(false);
    expect(isSuspect(after(...takenBy(1)).state, dead.isLive)).toBe(false);
    expect(isSuspect(after(...takenBy(1, 2)).state, dead.isLive)).toBe(true);
    expect(live(after(...takenBy(1, 2, 3)).state, 3)).toBe(true);
  });
});
