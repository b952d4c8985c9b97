import { deleteContainerSet, removeSetMember, retryContainerSet } from './container-set-decider.js';
import { setCounts } from './container-set-state.js';
import { cancelSetOperation, resizeContainerSet, scaleContainerSet } from './set-actions.js';
import { ends, MINUTE, runningSet as running } from './running-set.fixture.js';
import { SetSimulation } from './set-simulation.fixture.js';

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

describe('the budget after the loss of a node', () => {
  it('is spent: nothing available is taken away before the successor is available', () => {
    const set = running({ strategy: { maxSurge: 0, maxUnavailable: 1 } });
    set.startMs = () => 30_000;
    const [a, b] = set.staying;
    set.units.get(a!.id)!.state = 'lost';
    set.units.get(b!.id)!.mustGo = 'eviction';
    set.run(29_000);
    expect(set.staying.map(m => m.id)).not.toContain(a!.id);
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

  it('a member that is moved gets a successor that passes over its node', () => {
    const set = running();
    const { id: memberId, ordinal } = set.staying[0]!;
    set.take(() => removeSetMember(set.state, { memberId, operation: set.operation('move'), movedFrom: 'n1' }));
    set.settle();
    expect(set.staying.find(member => member.ordinal === ordinal)).toMatchObject({ passOver: 'n1' });
    set.run(MINUTE);
    expect(set.state).toMatchObject({ status: 'ACTIVE', operations: [] });
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
