import fc from 'fast-check';
import { instantMs } from '../kernel/instant.js';
import { backoffMs } from './backoff.js';
import { removeSetMember } from './container-set-decider.js';
import { invariants } from './set-invariants.fixture.js';
import { SetSimulation } from './set-simulation.fixture.js';
import { pauseRollout, resizeContainerSet, restartContainerSet, resumeRollout } from './set-actions.js';

const share = fc.oneof(fc.nat(4), fc.constantFrom('0%', '10%', '25%', '34%', '50%', '100%'));
const strategy = fc
  .record({
    maxSurge: share,
    maxUnavailable: share,
    minReadySeconds: fc.constantFrom(0, 3, 20),
    progressDeadlineSeconds: fc.constantFrom(60, 600),
    onFailure: fc.constantFrom('pause' as const, 'rollback' as const),
  })
  .filter(
    ({ maxSurge, maxUnavailable }) => Number.parseInt(String(maxSurge)) + Number.parseInt(String(maxUnavailable)) > 0,
  );
const step = fc.oneof(
  fc.record({ do: fc.constant('roll' as const), image: fc.constantFrom('good:1', 'good:2', 'bad:1') }),
  fc.record({ do: fc.constant('resize' as const), count: fc.nat(8) }),
  fc.record({
    do: fc.constantFrom(...(['fail', 'lose', 'evict', 'remove', 'sicken', 'breakNode'] as const)),
    nth: fc.nat(7),
  }),
  fc.record({ do: fc.constantFrom('restart' as const, 'pause' as const, 'resume' as const) }),
);
const schedule = fc.array(fc.tuple(step, fc.integer({ min: 0, max: 40_000 })), { maxLength: 12 });

/** Any health policy, or none. */
const health = fc.record({
  detect: fc.subarray(['status', 'healthCheck', 'node'] as const, { minLength: 1 }),
  unhealthyAfterSeconds: fc.constantFrom(0, 5, 90),
  actions: fc.array(
    fc.record({
      do: fc.constantFrom('restart' as const, 'recreate' as const, 'replace' as const),
      attempts: fc.nat(2),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  maxUnhealthy: share,
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function perform(set: SetSimulation, one: Step): void {
  const { id: operationId } = set.operation(one.do);
  const member = 'nth' in one ? set.staying[one.nth % Math.max(1, set.staying.length)] : undefined;
  const unit = set.units.get(member?.id ?? '');
  switch (one.do) {
    case 'roll':
      return void set.roll(one.image);
    case 'resize':
      return void set.take(s =>
        resizeContainerSet(s, { adjustment: { type: 'exact', number: one.count }, operationId }),
      );
    case 'restart':
      return void set.take(s => restartContainerSet(s, { operationId }));
    case 'pause':
    case 'resume':
      if (set.state.rollout) set.take(s => (one.do === 'pause' ? pauseRollout(s) : resumeRollout(s, { operationId })));
      return;
    case 'fail':
      if (unit?.state === 'active') unit.state = 'failed';
      return;
    case 'lose':
      if (unit && !unit.leaving) unit.state = 'lost';
      return;
    case 'evict':
      if (unit) unit.mustGo = 'eviction';
      return;
    case 'sicken':
      if (unit?.state === 'active') unit.health = 'unhealthy';
      return;
    case 'breakNode':
      if (unit) unit.nodeFailed = true;
      return;
    default:
      if (member) set.take(s => removeSetMember(s, { memberId: member.id, operation: set.operation('remove') }));
  }
}

function played(options: ConstructorParameters<typeof SetSimulation>[0], steps: readonly (readonly [Step, number])[]) {
  const set = new SetSimulation(options);
  set.bad.add('bad:1');
  set.check = invariants(set);
  set.startMs = id => 500 + (Number(id.slice(1)) % 5) * 700;
  for (const [one, ms] of steps) {
    set.settle();
    perform(set, one);
    set.run(ms);
  }
  return set;
}

describe('the reconciliation of a container set', () => {
  it('never exceeds its bounds under rollouts, failures, evictions, resizes and health policies, and ends complete', () => {
    fc.assert(
      fc.property(fc.nat(7), strategy, schedule, fc.option(health), (desired, how, steps, policy) => {
        const set = played({ desired, strategy: how, policies: policy ? { health: policy } : {} }, steps);
        // whatever was rolled out, a good image in the end
        set.roll('good:9');
        set.run(4 * 3600_000);
        if (set.state.rollout) set.take(s => resumeRollout(s, { operationId: 'last' }));
        set.run(4 * 3600_000);
        expect(set.state).toMatchObject({ status: 'ACTIVE', operations: [] });
        expect(set.state.rollout).toBeUndefined();
        expect(set.images).toEqual(set.staying.map(() => 'good:9'));
        expect(new Set(set.staying.map(m => m.ordinal)).size).toBe(set.staying.length);
        expect(set.available).toBe(set.state.spec.desired);
        expect(set.members.length).toBe(set.state.spec.desired);
      }),
      { numRuns: 300 },
    );
  });

  it('the successor of a member that fails again and again waits as the formula says, and is never added before', () => {
    const backoff = fc.record({
      baseSeconds: fc.integer({ min: 1, max: 30 }),
      maxSeconds: fc.integer({ min: 30, max: 900 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), backoff, (desired, how) => {
        const set = new SetSimulation({ desired, backoff: how });
        set.bad.add('web:1');
        set.run(2 * 3600_000);
        const untils = new Map<number, number>();
        const failures = new Map<number, number>();
        for (const { at, event, before } of set.log) {
          if (event.type === 'BackoffStarted')
            for (const { ordinal, failures: k, until } of event.data.failures) {
              const expected = (failures.get(ordinal) ?? 0) + 1;
              expect(k).toBe(expected);
              failures.set(ordinal, k);
              const failed = [...before.members.values()].find(m => m.ordinal === ordinal && m.leaving)?.id ?? '';
              expect(instantMs(until) - at).toBe(backoffMs(before.spec.backoff, k, failed));
              untils.set(ordinal, instantMs(until));
            }
          if (event.type === 'MembersAdded')
            for (const { ordinal } of event.data.members) expect(at).toBeGreaterThanOrEqual(untils.get(ordinal) ?? 0);
        }
        expect(Math.max(...failures.values())).toBeGreaterThan(3);
      }),
      { numRuns: 15 },
    );
  });

  it('two causes never replace one ordinal twice at the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), strategy, schedule, (desired, how, steps) => {
        const set = played({ desired, strategy: how }, [...steps, [{ do: 'evict', nth: 0 }, 0]]);
        const perOrdinal = new Map<number, number>();
        for (const m of set.staying) perOrdinal.set(m.ordinal, (perOrdinal.get(m.ordinal) ?? 0) + 1);
        expect(Math.max(0, ...perOrdinal.values())).toBeLessThanOrEqual(2);
      }),
      { numRuns: 100 },
    );
  });
});
