import { updateContainerSet } from './container-set-decider.js';
import {
  cancelSetOperation,
  pauseRollout,
  rebalanceContainerSet,
  restartContainerSet,
  resumeRollout,
} from './set-actions.js';
import { ends, MINUTE, runningSet as running } from './running-set.fixture.js';
import { source } from './set-simulation.fixture.js';

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

  it('pauses when the members before do not become available either', () => {
    const strategy = { progressDeadlineSeconds: 60, onFailure: 'rollback', maxSurge: 0, maxUnavailable: 2 } as const;
    const set = running({ strategy });
    set.bad.add('web:1').add('web:2');
    set.roll('web:2');
    set.run(30 * MINUTE);
    expect(set.of('RolloutStarted').map(e => e.data.goingBack)).toEqual([undefined, true]);
    expect(set.state).toMatchObject({ status: 'PAUSED', target: 1 });
    expect(set.available).toBe(1);
  });

  it('a member whose successor has been added stays until that is available, whatever may be missing', () => {
    const set = running({ strategy: { maxSurge: 1, maxUnavailable: 1 } });
    set.roll('web:2');
    set.settle();
    const [successor] = set.staying.filter(m => m.replaces !== undefined);
    expect(set.state.members.get(successor?.replaces ?? '')?.leaving).toBe(false);
    expect(set.available).toBe(2);
  });

  it('a member gives its place to a successor that no node takes, once as many may be missing', () => {
    const updateStrategy = { ...running().state.spec.updateStrategy, maxUnavailable: 1 };
    for (const desired of [1, 3]) {
      const set = running({ desired });
      set.startMs = () => 100 * MINUTE;
      set.roll('web:2');
      set.settle();
      for (const unit of set.units.values()) unit.unschedulable = unit.state === 'starting';
      set.run(MINUTE);
      const [successor] = set.staying.filter(m => m.replaces !== undefined);
      const isThere = () => set.staying.some(({ id }) => id === successor?.replaces);
      expect([isThere(), set.available]).toEqual([true, desired]);
      set.take(s => updateContainerSet(s, { changes: { updateStrategy }, operationId: 'u' }));
      set.settle();
      expect([isThere(), set.available]).toEqual([false, desired - 1]);
    }
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

  it('a predecessor stays until its successor is available, although one more may be missing', () => {
    const set = running({ desired: 2, strategy: { maxSurge: 1, maxUnavailable: 1 } });
    const [first] = set.staying;
    Object.assign(set.units.get(first?.id ?? '') ?? {}, { mustGo: 'eviction' });
    let least = Infinity;
    set.check = () => (least = Math.min(least, set.available));
    set.run(MINUTE);
    expect([least, set.state.status, set.state.members.has(first?.id ?? '')]).toEqual([2, 'ACTIVE', false]);
  });
});
