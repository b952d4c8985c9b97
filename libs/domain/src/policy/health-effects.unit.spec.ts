import { MINUTE, runningSet } from '../container-set/running-set.fixture.js';
import type { SetSimulation } from '../container-set/set-simulation.fixture.js';
import { conditionOf } from '../kernel/condition.js';
import { effectivePolicies } from './effective-policies.js';
import { attached, aPolicy } from './policies.fixture.js';
import { attachPolicy, noBindings } from './policy-bindings.js';
import { policyEffects } from './policy-effects.js';
import type { HealthProperties } from './policy-types.js';
import { setPoliciesOf } from './set-policies.js';

type Target = 'containerSet' | 'cluster';

/** Returns a running set of four with this health policy. */
function watched(properties: HealthProperties, target: Target = 'containerSet', desired = 4): SetSimulation {
  const policies = setPoliciesOf(effectivePolicies([attached({ id: 'x', type: 'health', target, properties })]));
  return runningSet({ desired, policies });
}

const byOrdinal = (set: SetSimulation) => [...set.staying].sort((a, b) => a.ordinal - b.ordinal);
const unitOf = (set: SetSimulation, ordinal: number) => set.units.get(byOrdinal(set)[ordinal]?.id ?? '');

/** Makes the health checks of the first members fail, and returns their ids. */
function sicken(set: SetSimulation, n = 1): readonly string[] {
  const ids = byOrdinal(set)
    .slice(0, n)
    .map(m => m.id);
  for (const id of ids) Object.assign(set.units.get(id) ?? {}, { health: 'unhealthy' });
  return ids;
}

const done = (set: SetSimulation) => set.of('MembersRepaired').flatMap(e => e.data.repairs.map(r => r.do));
const kept = (set: SetSimulation, ids: readonly string[]) =>
  ids.filter(id => set.state.members.get(id)?.leaving === false);
const degraded = (set: SetSimulation) => conditionOf(set.state, 'Degraded')?.reason;

const effects: Readonly<Record<string, (target: Target) => void>> = {
  'detect[]': target => {
    const sick = watched({ detect: ['healthCheck'] }, target);
    const [first = ''] = sicken(sick);
    sick.run(MINUTE);
    expect(kept(sick, [first])).toEqual([]);
    const unseen = watched({ detect: ['status', 'node'] }, target);
    const [other = ''] = sicken(unseen);
    unseen.run(MINUTE);
    expect(kept(unseen, [other])).toEqual([other]);
    expect(degraded(unseen)).toBe('unhealthy');
  },
  unhealthyAfterSeconds: target => {
    const set = watched({ unhealthyAfterSeconds: 50 }, target);
    const ids = sicken(set);
    set.run(49_000);
    expect(kept(set, ids)).toEqual(ids);
    set.run(2_000);
    expect(kept(set, ids)).toEqual([]);
  },
  'actions[].do': target => {
    for (const action of ['restart', 'recreate'] as const) {
      const set = watched({ actions: [{ do: action }] }, target);
      const ids = sicken(set);
      set.run(MINUTE);
      expect(done(set)).toEqual([action]);
      expect(kept(set, ids)).toEqual(ids);
      expect(set.state.status).toBe('ACTIVE');
    }
    const set = watched({ actions: [{ do: 'replace' }] }, target);
    const ids = sicken(set);
    set.run(MINUTE);
    expect([done(set), kept(set, ids), set.state.status]).toEqual([['replace'], [], 'ACTIVE']);
  },
  'actions[].attempts': target => {
    const set = watched({ actions: [{ do: 'restart', attempts: 2 }, { do: 'recreate' }, { do: 'replace' }] }, target);
    for (let i = 0; i < 5; i++) {
      sicken(set);
      set.run(3 * MINUTE);
    }
    expect(done(set)).toEqual(['restart', 'restart', 'recreate', 'replace', 'replace']);
  },
  maxUnhealthy: target => {
    const few = watched({ maxUnhealthy: '50%' }, target);
    sicken(few, 2);
    few.run(MINUTE);
    expect([few.state.status, done(few).length]).toEqual(['ACTIVE', 2]);
    const many = watched({ maxUnhealthy: '50%' }, target);
    sicken(many, 3);
    many.run(10 * MINUTE);
    expect([degraded(many), done(many)]).toEqual(['too-many-unhealthy', []]);
    const one = watched({ maxUnhealthy: 1 }, target);
    sicken(one, 2);
    one.run(MINUTE);
    expect(degraded(one)).toBe('too-many-unhealthy');
    // rounded up, and one at least
    const rounded = watched({ maxUnhealthy: '26%' }, target);
    sicken(rounded, 2);
    rounded.run(MINUTE);
    expect(rounded.state.status).toBe('ACTIVE');
  },
};

describe('the effects of health policies on container sets', () => {
  it.each(['containerSet', 'cluster'] as const)(
    'each member that takes effect has a test of its effect: %s',
    target => {
      const listed = Object.entries(policyEffects.health).filter(([, targets]) => targets.includes(target));
      expect(Object.keys(effects).sort()).toEqual(listed.map(([member]) => member).sort());
    },
  );

  it.each(Object.keys(effects).flatMap(name => [[name, 'containerSet'] as const, [name, 'cluster'] as const]))(
    '%s has an effect on a %s',
    (name, target) => effects[name]?.(target),
  );

  it('a member that recovers before its time is left alone, and the time begins again', () => {
    const set = watched({ unhealthyAfterSeconds: 50 });
    const ids = sicken(set);
    set.run(40_000);
    Object.assign(unitOf(set, 0) ?? {}, { health: 'healthy' });
    set.run(5_000);
    sicken(set);
    set.run(40_000);
    expect([done(set), kept(set, ids)]).toEqual([[], ids]);
  });

  it('the next action waits as the back-off of the set says', () => {
    const set = watched({ actions: [{ do: 'restart' }] });
    for (let i = 0; i < 2; i++) {
      sicken(set);
      set.run(2_000);
    }
    expect(done(set)).toEqual(['restart']);
    set.run(20_000);
    expect(done(set)).toEqual(['restart', 'restart']);
  });

  it('a failed member is restarted where the policy checks its status, else replaced', () => {
    const status = watched({ detect: ['status'], actions: [{ do: 'restart' }] });
    const id = status.staying[0]?.id ?? '';
    status.fail(id);
    status.run(MINUTE);
    expect([done(status), kept(status, [id]), status.state.status]).toEqual([['restart'], [id], 'ACTIVE']);
    const other = watched({ detect: ['healthCheck'], actions: [{ do: 'restart' }] });
    const failed = other.staying[0]?.id ?? '';
    other.fail(failed);
    other.run(MINUTE);
    expect([done(other), kept(other, [failed]), other.state.status]).toEqual([[], [], 'ACTIVE']);
  });

  it('members on a node that fails get their successors first, with a grant for health', () => {
    const set = watched({ actions: [{ do: 'restart' }, { do: 'replace' }] });
    const ids = set.staying.slice(0, 2).map(m => m.id);
    for (const id of ids) Object.assign(set.units.get(id) ?? {}, { nodeFailed: true });
    let least = Infinity;
    set.check = () => (least = Math.min(least, set.available));
    set.run(5 * MINUTE);
    expect([kept(set, ids), least, set.state.status]).toEqual([[], 4, 'ACTIVE']);
    expect(set.of('DisruptionGranted').map(e => e.data.cause)).toEqual(['health', 'health']);
  });

  it('what only a user moves is built again on its node in place of a replacement, unless it has failed', () => {
    const fixed = (found: object, set = watched({ actions: [{ do: 'replace' }] })) => {
      const [id = ''] = byOrdinal(set).map(m => m.id);
      Object.assign(set.units.get(id) ?? {}, { isFixed: true, ...found });
      set.run(MINUTE);
      return [kept(set, [id]).length, done(set)];
    };
    expect(fixed({ health: 'unhealthy' })).toEqual([1, ['recreate']]);
    expect(fixed({ nodeFailed: true })).toEqual([1, []]);
    const failed = watched({ actions: [{ do: 'replace' }] });
    failed.fail(byOrdinal(failed)[0]?.id ?? '');
    expect(fixed({}, failed)).toEqual([0, ['replace']]);
  });

  it('actions on nodes are refused on sets; those of a cluster leave its containers to the set', () => {
    const policy = aPolicy('x', 'health', { actions: [{ do: 'reboot' }, { do: 'replace' }] });
    const attach = { policyId: 'x', policy, enabled: true, priority: 1 };
    const refused = attachPolicy(noBindings, { ...attach, target: { type: 'containerSet', id: 's' } });
    expect(refused).toMatchObject({ ok: false, refusal: { errors: [{ code: 'no-effect-here' }] } });
    expect(attachPolicy(noBindings, { ...attach, target: { type: 'cluster', id: 'c' } }).ok).toBe(true);
    const set = watched({ actions: [{ do: 'reboot' }] }, 'cluster');
    const failed = set.staying[0]?.id ?? '';
    set.fail(failed);
    set.run(MINUTE);
    expect([done(set), kept(set, [failed]), set.state.status]).toEqual([[], [], 'ACTIVE']);
  });

  it('the policy that acts is named in the event', () => {
    const set = watched({ maxUnhealthy: 2, actions: [{ do: 'restart' }] });
    sicken(set);
    set.run(MINUTE);
    expect(set.of('MembersRepaired')[0]?.data).toMatchObject({
      policyId: 'x',
      policyRevision: 1,
      unhealthy: 1,
      maxUnhealthy: 2,
    });
  });
});
