import { ends, runningSet as running, MINUTE } from '../container-set/running-set.fixture.js';
import { resizeContainerSet, scaleContainerSet } from '../container-set/set-actions.js';
import type { SetSimulation } from '../container-set/set-simulation.fixture.js';
import { effectivePolicies } from './effective-policies.js';
import { attached } from './policies.fixture.js';
import { policyEffects } from './policy-effects.js';
import type { DeletionProperties, PolicyProperties, PolicyType } from './policy-types.js';
import { scalingPolicyOf, setPoliciesOf } from './set-policies.js';

const policiesOf = (type: PolicyType, properties: PolicyProperties) =>
  effectivePolicies([attached({ id: 'x', type, target: 'containerSet', properties })]);
const setPolicies = (type: PolicyType, properties: PolicyProperties) => setPoliciesOf(policiesOf(type, properties));

/** Returns the desired number after the set of four was scaled out by the policy, or the code of the refusal. */
function scaled(adjustment: object, more: object = {}, set: SetSimulation = running({ desired: 4, max: 7 })) {
  const policy = scalingPolicyOf(
    policiesOf('scaling', { direction: 'out', adjustment, ...more } as PolicyProperties),
    'out',
  );
  const now = new Date(set.now).toISOString();
  const given = policy ? { policy } : {};
  const decision = scaleContainerSet(set.state, { direction: 'out', operationId: 'x', now, ...given });
  if (!decision.ok) return decision.refusal.code;
  const [resized] = decision.events;
  return resized?.type === 'ContainerSetResized' ? resized.data.desired : 'same';
}

/** Returns the ordinals that stay when the set of two, which was scaled to four, is scaled back. */
function left(properties: PolicyProperties, prepare: (set: SetSimulation) => void = () => undefined) {
  const set = running({ desired: 2, policies: setPolicies('deletion', properties) });
  const to = (number: number) =>
    set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number }, operationId: `to${number}` }));
  to(4);
  set.run(MINUTE);
  prepare(set);
  to(2);
  set.run(MINUTE);
  return set.staying.map(m => m.ordinal).sort();
}

/** Returns a set of three, a minute after it was scaled in to two with this hook. */
function hooked(hook: NonNullable<DeletionProperties['hook']>): SetSimulation {
  const set = running({ desired: 3, policies: setPolicies('deletion', { hook }) });
  set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number: 2 }, operationId: 'in' }));
  set.run(MINUTE);
  return set;
}

/** Returns how many of six members are replaced after this time by a rollout with this policy. */
function rolled(properties: PolicyProperties, ms: number): number {
  const policies = setPolicies('batch', properties);
  const set = running({ desired: 6, strategy: { maxSurge: 3 }, policies });
  set.roll('web:2');
  set.run(ms);
  return set.images.filter(image => image === 'web:2').length;
}

function stopped(stopOnFailure: boolean): string | undefined {
  const set = running({ policies: setPolicies('batch', { maxBatch: 1, stopOnFailure }) });
  set.bad.add('web:2');
  set.roll('web:2');
  set.run(MINUTE);
  return set.state.rollout?.status;
}

/** A test of the effect of each member of these types on container sets. */
const effects: Readonly<Record<string, () => void>> = {
  'scaling direction': () => {
    const policies = policiesOf('scaling', { direction: 'in', adjustment: { type: 'change', number: 1 } });
    expect(scalingPolicyOf(policies, 'out')).toBeUndefined();
    expect(scalingPolicyOf(policies, 'in')).toMatchObject({ policyId: 'x', policyRevision: 1 });
  },
  'scaling adjustment.type': () => {
    expect(scaled({ type: 'change', number: 3 })).toBe(7);
    expect(scaled({ type: 'percentage', number: 3 })).toBe(5);
    expect(scaled({ type: 'exact', number: 3 })).toBe('same');
  },
  'scaling adjustment.number': () => expect(scaled({ type: 'change', number: 2 })).toBe(6),
  'scaling adjustment.minStep': () => expect(scaled({ type: 'percentage', number: 1, minStep: 2 })).toBe(6),
  'scaling adjustment.bestEffort': () => {
    expect(scaled({ type: 'change', number: 9 })).toBe('outside-bounds');
    expect(scaled({ type: 'change', number: 9, bestEffort: true })).toBe(7);
  },
  'scaling cooldownSeconds': () => {
    const set = running({ desired: 4, max: 7 });
    set.take(s => scaleContainerSet(s, { direction: 'out', count: 1, operationId: 'o', now: '' }));
    set.run(10_000);
    expect(scaled({ type: 'change', number: 1 }, { cooldownSeconds: 60 }, set)).toBe('cooldown');
    expect(scaled({ type: 'change', number: 1 }, { cooldownSeconds: 1 }, set)).toBe(6);
  },
  'deletion criteria': () => {
    expect(left({ criteria: 'youngest' })).toEqual([0, 1]);
    expect(left({ criteria: 'oldest' })).toEqual([2, 3]);
  },
  'deletion byZone': () => {
    const zones = (set: SetSimulation): void => {
      set.zones = new Map([...set.staying].map(({ id, ordinal }) => [id, ordinal === 3 ? 'b' : 'a']));
    };
    expect(left({ byZone: true }, zones)).toEqual([0, 3]);
    expect(left({ byZone: false }, zones)).toEqual([0, 1]);
  },
  'deletion graceSeconds': () => {
    expect(setPolicies('deletion', { graceSeconds: 7 }).deletion?.graceSeconds).toBe(7);
    expect(setPolicies('deletion', {}).deletion?.graceSeconds).toBeUndefined();
  },
  'deletion hook.timeoutSeconds': () => {
    const set = hooked({ timeoutSeconds: 100 });
    expect([set.staying.length, set.state.spec.desired]).toEqual([3, 2]);
    set.run(39_000);
    expect(set.staying.length).toBe(3);
    set.run(2_000);
    expect([set.staying.length, set.state.status, ends(set).at(-1)]).toEqual([2, 'ACTIVE', ['SUCCEEDED', undefined]]);
  },
  'deletion hook.onTimeout': () => {
    const set = hooked({ timeoutSeconds: 100, onTimeout: 'abort' });
    set.run(MINUTE);
    expect([set.staying.length, set.state.spec.desired, set.state.status]).toEqual([3, 3, 'ACTIVE']);
    expect(ends(set).at(-1)).toEqual(['FAILED', 'release-aborted']);
  },
  'deletion hook.url': () => {
    const set = hooked({ timeoutSeconds: 100, url: 'https://hooks.example/x' });
    expect(set.staying.flatMap(m => m.release?.url ?? [])).toEqual(['https://hooks.example/x']);
  },
  'batch maxBatch': () => {
    expect(rolled({ maxBatch: 1, pauseSeconds: 100 }, 90_000)).toBe(1);
    expect(rolled({ maxBatch: '50%', pauseSeconds: 100 }, 90_000)).toBe(3);
  },
  'batch pauseSeconds': () => {
    expect(rolled({ pauseSeconds: 100, maxBatch: 2 }, 90_000)).toBe(2);
    expect(rolled({ pauseSeconds: 0, maxBatch: 2 }, 90_000)).toBe(6);
  },
  'batch stopOnFailure': () => {
    expect(stopped(true)).toBe('PAUSED');
    expect(stopped(false)).toBe('RUNNING');
  },
};

describe('the effects of policies on container sets', () => {
  const types = ['scaling', 'deletion', 'batch'] as const;
  const listed = types.flatMap(type =>
    Object.entries(policyEffects[type]).flatMap(([member, targets]) =>
      targets.includes('containerSet') ? [`${type} ${member}`] : [],
    ),
  );

  it('each member that takes effect has a test of its effect', () => {
    expect(Object.keys(effects).sort()).toEqual([...listed].sort());
  });

  it.each(Object.keys(effects))('%s has an effect', effect => effects[effect]?.());

  it('random victims are drawn with a seed that changes with the policy', () => {
    const seedOf = (id: string) => {
      const properties = { criteria: 'random' as const };
      const policy = attached({ id, type: 'deletion', target: 'containerSet', properties });
      return setPoliciesOf(effectivePolicies([policy])).deletion?.seed;
    };
    expect(seedOf('a')).toBe(seedOf('a'));
    expect(seedOf('a')).not.toBe(seedOf('b'));
  });

  it('without policies there is nothing to follow', () => {
    expect(setPoliciesOf({})).toEqual({});
    expect(scalingPolicyOf({}, 'out')).toBeUndefined();
  });
});
