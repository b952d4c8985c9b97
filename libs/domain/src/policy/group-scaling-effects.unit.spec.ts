import { instantOf } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import { Simulation } from '../node-group/group-simulation.fixture.js';
import { scaleNodeGroup } from '../node-group/scale-node-group.js';
import { effectivePolicies } from './effective-policies.js';
import { attached } from './policies.fixture.js';
import { policyEffects } from './policy-effects.js';
import type { PolicyProperties } from './policy-types.js';
import { scalingPolicyOf } from './set-policies.js';

const SECOND = 1000;

/** Returns the count of a group of four, of at most eight, after the action `scale` by a policy; or why it is refused. */
function scaled(adjustment: object, more: object = {}, before?: (group: Simulation) => void): number | string {
  const group = new Simulation(4);
  group.append({ type: 'NodeGroupUpdated', data: { changes: { maxCount: 8 } } });
  group.settle();
  group.allWell();
  before?.(group);
  const properties = { direction: 'out', adjustment, ...more } as PolicyProperties;
  const policy = scalingPolicyOf(
    effectivePolicies([attached({ id: 'x', type: 'scaling', target: 'nodeGroup', properties })]),
    'out',
  );
  const command = {
    direction: 'out',
    operationId: 'out',
    now: instantOf(group.nowMs),
    ...omitUndefined({ policy }),
  } as const;
  const decision = scaleNodeGroup(group.state, command);
  if (!decision.ok) return decision.refusal.code;
  group.append(...decision.events);
  return group.state.spec.count;
}

const effects: Readonly<Record<string, () => void>> = {
  direction: () => {
    expect(scaled({ type: 'change', number: 1 })).toBe(5);
    expect(scaled({ type: 'change', number: 1 }, { direction: 'in' })).toBe('no-policy');
  },
  'adjustment.type': () => {
    expect(scaled({ type: 'exact', number: 7 })).toBe(7);
    expect(scaled({ type: 'percentage', number: 50 })).toBe(6);
  },
  'adjustment.number': () => expect(scaled({ type: 'change', number: 2 })).toBe(6),
  'adjustment.minStep': () => expect(scaled({ type: 'percentage', number: 1, minStep: 2 })).toBe(6),
  'adjustment.bestEffort': () => {
    expect(scaled({ type: 'change', number: 9 })).toBe('outside-bounds');
    expect(scaled({ type: 'change', number: 9, bestEffort: true })).toBe(8);
  },
  cooldownSeconds: () => {
    const grown = (group: Simulation, seconds: number): void => {
      const operation = { id: 'earlier', kind: 'node-group.scale', total: 1 };
      group.append({ type: 'NodeGroupResized', data: { count: 5, operation } });
      group.settle();
      group.allWell();
      group.nowMs += seconds * SECOND;
    };
    const after = (seconds: number) =>
      scaled({ type: 'change', number: 1 }, { cooldownSeconds: 60 }, group => grown(group, seconds));
    expect([after(59), after(60)]).toEqual(['cooldown', 6]);
  },
};

describe('the effects of scaling policies on node groups', () => {
  it('each member that takes effect has a test of its effect', () => {
    const listed = Object.entries(policyEffects.scaling).flatMap(([member, targets]) =>
      targets.includes('nodeGroup') ? [member] : [],
    );
    expect(Object.keys(effects).sort()).toEqual([...listed].sort());
  });

  it.each(Object.keys(effects))('%s has an effect', effect => effects[effect]?.());
});
