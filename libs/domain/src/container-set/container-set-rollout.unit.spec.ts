import { invariants, SetSimulation, source } from './set-simulation.fixture.js';
import { deleteContainerSet, removeSetMember, retryContainerSet, updateContainerSet } from './container-set-decider.js';
import { setCounts } from './container-set-state.js';
import {
  cancelSetOperation,
  pauseRollout,
  rebalanceContainerSet,
  resizeContainerSet,
  restartContainerSet,
  resumeRollout,
  scaleContainerSet,
} from './set-actions.js';

const MINUTE = 60_000;

function running(options: ConstructorParameters<typeof SetSimulation>[0] = {}): SetSimulation {
  const set = new SetSimulation(options);
  set.check = invariants(set);
  set.run(MINUTE);
  expect(set.state).toMatchObject({ status: 'ACTIVE', operations: [] });
  return set;
}
const ends = (set: SetSimulation) => set.of('OperationEnded').map(e => [e.data.status, e.data.error?.code]);

describe('a rollout of a container set', () => {
  it('replaces one member after the other, the successor first, and each keeps its ordinal', () => {
    const set = running();
    expect(set.roll('web:2')).toEqual(['RolloutStarted']);
    set.run(MINUTE);
    expect(set.images).toEqual(['web:2', 'web:2', 'web:2']);
    expect(set.staying.map(m => m.ordinal).sort()).toEqual([0, 1, 2]);
    expect(set.of('DisruptionGranted').map(e => [e.data.cause, e.data.available])).toEqual([
      ['rollout', 4],
      ['rollout', 4],
      ['rollout', 4],
    ]);
    expect(ends(set).at(-1)).toEqual(['SUCCEEDED', undefined]);
    expect(set.state).toMatchObject({ status: 'ACTIVE' });
  });

  it('takes members away first where none may be above the desired number', () => {
    const set = running({ strategy: { maxSurge: 0, maxUnavailable: 2 } });
    set.roll('web:2');
    set.settle();
    expect(set.available).toBe(1);
    set.run(MINUTE);
    expect(set.images).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it.each([
    ['a volume of its own', { volumes: [{ name: 'data-{ordinal}', mountPath: '/d' }] }],
    ['a fixed port', { ports: [{ containerPort: 80, hostPort: 8080 }] }],
  ])('members with %s go before their successors come', (_what, overrides) => {
    const set = running({ source: source('web:1', { overrides }) });
    set.take(s => updateContainerSet(s, { changes: {}, source: source('web:2', { overrides }), operationId: 'u' }));
    set.settle();
    expect(set.staying).toHaveLength(2);
    expect(set.members).toHaveLength(3);
    set.run(MINUTE);
    expect(set.images).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('pauses when nothing became available in time, and its operation fails; old members stay', () => {
    const set = running({ strategy: { progressDeadlineSeconds: 120 } });
    set.bad.add('web:2');
    set.roll('web:2');
    set.run(119_000);
    expect(set.state.rollout?.status).toBe('RUNNING');
    set.run(10 * MINUTE);
    expect(set.state).toMatchObject({ status: 'PAUSED', rollout: { status: 'PAUSED', from: 1, to: 2 } });
    expect(set.images).toEqual(['web:1', 'web:1', 'web:1']);
    expect(ends(set).at(-1)).toEqual(['FAILED', 'no-progress-in-time']);
    set.roll('web:3');
    set.run(MINUTE);
    expect(set.images).toEqual(['web:3', 'web:3', 'web:3']);
  });

  it('a member that fails during a pause for lack of progress is replaced by one of the revision before', () => {
    const set = running({ strategy: { progressDeadlineSeconds: 60, maxSurge: 0, maxUnavailable: 1 } });
    set.bad.add('web:2');
    set.roll('web:2');
    set.run(20 * MINUTE);
    expect(set.state.status).toBe('PAUSED');
    expect(set.images).toEqual(['web:1', 'web:1', 'web:1']);
  });

  it('goes back once where the strategy says so', () => {
    const set = running({ strategy: { progressDeadlineSeconds: 60, onFailure: 'rollback', maxUnavailable: 1 } });
    set.bad.add('web:2');
    set.roll('web:2');
    set.run(10 * MINUTE);
    expect(set.images).toEqual(['web:1', 'web:1', 'web:1']);
    expect(set.state).toMatchObject({ status: 'ACTIVE', target: 1 });
    expect(set.of('RolloutStarted').map(e => e.data.goingBack)).toEqual([undefined, true]);
    expect(set.of('RolloutEnded').map(e => e.data.wentBack)).toEqual([true]);
    expect(ends(set).at(-1)).toEqual(['FAILED', 'no-progress-in-time']);
  });

  it('a rollout that fails after another one that failed goes back to the last revision that was complete', () => {
    const set = running({ strategy: { progressDeadlineSeconds: 600, onFailure: 'rollback' } });
    set.bad.add('web:2').add('web:3');
    set.roll('web:2');
    set.run(MINUTE);
    set.roll('web:3');
    set.run(30 * MINUTE);
    expect(set.state).toMatchObject({ status: 'ACTIVE', target: 1 });
    expect(ends(set)).toContainEqual(['CANCELLED', 'superseded']);
  });

  it('completes its step when it is paused on request, and continues when it is resumed', () => {
    const set = running();
    set.roll('web:2');
    set.settle();
    set.take(s => pauseRollout(s));
    set.run(10 * MINUTE);
    expect(set.images).toEqual(['web:1', 'web:1', 'web:2']);
    expect(set.state.status).toBe('PAUSED');
    expect(set.take(s => pauseRollout(s))).toEqual([]);
    expect(set.take(s => resumeRollout(s, { operationId: 'r' }))).toEqual(['RolloutResumed']);
    set.run(MINUTE);
    expect(set.images).toEqual(['web:2', 'web:2', 'web:2']);
    expect(ends(set).at(-1)).toEqual(['SUCCEEDED', undefined]);
  });

  it('waits with its deadline while its cluster is paused', () => {
    const set = running({ strategy: { progressDeadlineSeconds: 60 } });
    set.roll('web:2');
    set.settle();
    set.paused = true;
    set.run(60 * MINUTE);
    expect(set.state.rollout).toMatchObject({ status: 'PAUSED', paused: { code: 'cluster-paused' } });
    expect(resumeRollout(set.state, { operationId: 'r' })).toMatchObject({ refusal: { code: 'paused' } });
    set.paused = false;
    set.run(MINUTE);
    expect(set.images).toEqual(['web:2', 'web:2', 'web:2']);
  });

  it('is cancelled by its operation, and stops after the step under way', () => {
    const set = running();
    set.roll('web:2');
    set.settle();
    set.take(s => cancelSetOperation(s, 'op1'));
    set.run(MINUTE);
    expect(set.state.rollout).toMatchObject({ status: 'PAUSED', paused: { code: 'cancelled' } });
    expect(ends(set).at(-1)).toEqual(['CANCELLED', undefined]);
    set.take(s => resumeRollout(s, { operationId: 'again' }));
    set.run(MINUTE);
    expect(ends(set).at(-1)).toEqual(['SUCCEEDED', undefined]);
  });

  it('a restart replaces each member by one of the same contents, and a rebalance only those that are named', () => {
    const set = running();
    const before = set.staying.map(m => m.id);
    set.take(s => restartContainerSet(s, { operationId: 'r' }));
    set.run(MINUTE);
    const after = set.staying.map(m => m.id);
    expect(after.filter(id => before.includes(id))).toEqual([]);
    expect(set.images).toEqual(['web:1', 'web:1', 'web:1']);
    set.take(s => rebalanceContainerSet(s, { memberIds: after.slice(0, 1), operationId: 'b' }));
    set.run(MINUTE);
    expect(set.staying.filter(m => after.includes(m.id))).toHaveLength(2);
    expect(set.state).toMatchObject({ status: 'ACTIVE', operations: [] });
  });

  it('a batch policy replaces a few at a time, with a pause after each batch', () => {
    const set = running({
      desired: 6,
      strategy: { maxSurge: 3 },
      policies: { batch: { maxBatch: 2, pauseSeconds: 100 } },
    });
    set.roll('web:2');
    set.run(99_000);
    expect(set.images.filter(image => image === 'web:2')).toHaveLength(2);
    set.run(100_000);
    expect(set.images.filter(image => image === 'web:2')).toHaveLength(4);
    set.run(200_000);
    expect(set.state.status).toBe('ACTIVE');
  });

  it('a batch that fails stops the rollout at once, unless the policy says otherwise', () => {
    for (const stopOnFailure of [true, false]) {
      const set = running({ policies: { batch: { maxBatch: 1, stopOnFailure } } });
      set.bad.add('web:2');
      set.roll('web:2');
      set.run(MINUTE);
      expect(set.state.rollout?.status).toBe(stopOnFailure ? 'PAUSED' : 'RUNNING');
    }
  });
});

describe('a member that fails', () => {
  it('gets a successor of its ordinal after the first pause, which passes over the node it failed on', () => {
    const set = running();
    const { id, ordinal } = set.staying[1]!;
    set.fail(id);
    set.settle();
    expect(setCounts(set.state)).toMatchObject({ available: 2, failed: 1 });
    set.run(9_999);
    expect(set.staying).toHaveLength(2);
    set.run(2_000);
    expect(set.staying.find(m => m.ordinal === ordinal)).toMatchObject({ passOver: `n-${id}` });
    set.run(MINUTE);
    expect(set.state.status).toBe('ACTIVE');
  });

  it('counts from one again after it was available for long enough', () => {
    const set = running({ desired: 1, backoff: { resetAfterSeconds: 60 } });
    const failures = () => set.of('BackoffStarted').flatMap(e => e.data.failures.map(f => f.failures));
    for (const after of [5_000, 59_000, 61_000]) {
      set.fail(set.staying[0]!.id);
      set.settle();
      set.run(30_000);
      expect(set.state.status).toBe('ACTIVE');
      set.run(after - 30_000 > 0 ? after : 0);
    }
    set.fail(set.staying[0]!.id);
    set.settle();
    expect(failures()).toEqual([1, 2, 1, 1]);
  });

  it('is tried one at a time when too many failed in a row', () => {
    const set = new SetSimulation({ desired: 5 });
    set.bad.add('web:1');
    set.run(30 * MINUTE);
    expect(set.state).toMatchObject({ status: 'DEGRADED' });
    expect(set.state.backoffUntil).toBeDefined();
    expect(
      set
        .of('MembersAdded')
        .slice(1)
        .every(e => e.data.members.length === 1),
    ).toBe(true);
    expect(ends(set)).toEqual([['FAILED', 'no-progress-in-time']]);
    set.bad.clear();
    set.run(30 * MINUTE);
    expect(set.state).toMatchObject({ status: 'ACTIVE' });
    expect(set.state.backoffUntil).toBeUndefined();
  });

  it('stops being tried after the failures that the set allows, until it is retried', () => {
    const set = new SetSimulation({ desired: 1, backoff: { giveUpAfter: 3 } });
    set.bad.add('web:1');
    set.run(120 * MINUTE);
    expect(set.of('MembersAdded')).toHaveLength(3);
    expect(set.of('ContainerSetDegraded').at(-1)?.data.code).toBe('crash-loop');
    expect(ends(set)).toEqual([['FAILED', 'crash-loop']]);
    set.bad.clear();
    set.take(s => retryContainerSet(s, { operation: set.operation('retry') }));
    set.run(MINUTE);
    expect(set.state).toMatchObject({ status: 'ACTIVE', conditions: [] });
    expect(
      retryContainerSet({ ...set.state, backoffs: new Map() }, { operation: set.operation('retry') }),
    ).toMatchObject({
      refusal: { code: 'nothing-to-retry' },
    });
  });

  it('that was lost with its node is replaced at once, outside the budget', () => {
    const set = running();
    for (const m of set.staying) set.units.get(m.id)!.state = 'lost';
    set.settle();
    expect(set.staying).toHaveLength(3);
    expect(set.of('BackoffStarted')).toEqual([]);
    set.run(MINUTE);
    expect(set.state.status).toBe('ACTIVE');
  });
});

describe('one budget for all causes', () => {
  it('evicted members get their successors first, and health goes before eviction and the rollout', () => {
    const set = running({ desired: 4 });
    set.roll('web:2');
    const [a, b] = set.staying;
    set.units.get(a!.id)!.mustGo = 'eviction';
    set.units.get(b!.id)!.mustGo = 'health';
    set.run(MINUTE);
    expect(set.of('DisruptionGranted').map(e => e.data.cause)).toEqual(['health', 'eviction', 'rollout', 'rollout']);
    expect(set.state.status).toBe('ACTIVE');
  });

  it('an eviction waits while the budget is spent by a member that failed', () => {
    const set = running({ strategy: { maxSurge: 0, maxUnavailable: 1 }, backoff: { baseSeconds: 100 } });
    const [a, b] = set.staying;
    set.fail(a!.id);
    set.units.get(b!.id)!.mustGo = 'eviction';
    set.run(90_000);
    expect(set.of('DisruptionGranted')).toEqual([]);
    set.run(MINUTE);
    expect(set.of('DisruptionGranted').map(e => e.data.cause)).toEqual(['eviction']);
    expect(set.state.status).toBe('ACTIVE');
  });
});

describe('the number of members', () => {
  it('scales by the policy of the direction, whose cooldown starts when the change has succeeded', () => {
    const set = running({ max: 10 });
    const policy = { adjustment: { type: 'change', number: 2 } as const, cooldownSeconds: 60 };
    const at = () => new Date(set.now).toISOString();
    const out = (count?: number) => {
      const given = count === undefined ? {} : { count };
      return scaleContainerSet(set.state, { direction: 'out', policy, now: at(), operationId: 'x', ...given });
    };
    expect(set.take(() => out())).toEqual(['ContainerSetResized']);
    expect(out().ok).toBe(true);
    set.run(10_000);
    expect(set.staying).toHaveLength(5);
    expect(out()).toMatchObject({ refusal: { code: 'cooldown' } });
    expect(scaleContainerSet(set.state, { direction: 'in', now: at(), operationId: 'y' })).toMatchObject({
      refusal: { code: 'no-policy' },
    });
    set.run(60_000);
    expect(out(9)).toMatchObject({ refusal: { code: 'outside-bounds' } });
    expect(out(1).ok).toBe(true);
  });

  it('a cancelled resize restores the number before', () => {
    const set = running();
    const adjustment = { type: 'exact', number: 6 } as const;
    set.take(s => resizeContainerSet(s, { adjustment, operationId: 'grow' }));
    set.settle();
    set.take(s => cancelSetOperation(s, 'grow'));
    set.run(MINUTE);
    expect(set.staying).toHaveLength(3);
    expect(ends(set).at(-1)).toEqual(['CANCELLED', undefined]);
  });

  it('a member that is deleted gets a successor, or lowers the desired number down to the minimum', () => {
    const set = running({ min: 2 });
    const remove = (reduceDesired: boolean) =>
      removeSetMember(set.state, { memberId: set.staying[0]!.id, operation: set.operation('delete'), reduceDesired });
    set.take(() => remove(false));
    set.run(MINUTE);
    expect(set.staying).toHaveLength(3);
    set.take(() => remove(true));
    set.run(MINUTE);
    expect(set.staying).toHaveLength(2);
    expect(remove(true)).toMatchObject({ refusal: { code: 'below-min' } });
    expect(set.state).toMatchObject({ status: 'ACTIVE', operations: [] });
  });

  it.each([
    ['youngest', [0, 1]],
    ['oldest', [2, 3]],
  ] as const)('scales in by the criteria %s', (criteria, left) => {
    const set = running({ desired: 2, policies: { deletion: { criteria } } });
    const to = (number: number) =>
      set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number }, operationId: `to${number}` }));
    to(4);
    set.run(MINUTE);
    to(2);
    set.run(MINUTE);
    expect(set.staying.map(m => m.ordinal).sort()).toEqual(left);
  });

  it('is deleted with all members, whatever the budget', () => {
    const set = running();
    const operation = { id: 'd', kind: 'container-set.delete', total: 3 };
    set.take(s => deleteContainerSet(s, { operationId: 'd', operation }));
    set.run(MINUTE);
    expect(set.state.deleted).toBe(true);
    expect(ends(set).at(-1)).toEqual(['SUCCEEDED', undefined]);
  });
});
