import fc from 'fast-check';
import { byPrecedence, effectivePolicies } from './effective-policies.js';
import { attached } from './policies.fixture.js';

const properties = fc.record(
  {
    windowSeconds: fc.integer({ min: 1, max: 3600 }),
    whenUnknown: fc.constantFrom('allow' as const, 'refuse' as const),
    maxCpuUse: fc.constantFrom(0.1, 0.5, 1),
    zones: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), weight: fc.constantFrom(0, 100) }), {
      selector: ({ name }) => name,
      minLength: 1,
    }),
  },
  { requiredKeys: [] },
);

const policies = fc
  .array(
    fc.record({
      properties,
      target: fc.constantFrom('containerSet' as const, 'cluster' as const),
      priority: fc.integer({ min: 0, max: 3 }),
      enabled: fc.boolean(),
      attachedAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
    }),
    { maxLength: 8 },
  )
  .map(all => all.map((each, i) => attached({ id: `p${i}`, ...each })));

describe('the merge of policies, of any number', () => {
  it('does not depend on the order in which policies are given', () => {
    const shuffled = policies.chain(all =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, other]) => expect(effectivePolicies(other)).toEqual(effectivePolicies(all))),
    );
  });

  it('a property comes from the first enabled policy that has it', () => {
    fc.assert(
      fc.property(policies, all => {
        const { windowSeconds } = effectivePolicies(all).placement?.properties ?? {};
        const enabled = all.filter(({ attachment }) => attachment.enabled).sort(byPrecedence);
        const first = enabled.find(({ policy }) => 'windowSeconds' in policy.properties);
        expect(windowSeconds?.source?.policyId).toBe(first?.policyId);
      }),
    );
  });

  it('every hard rule of every enabled policy holds, and no other', () => {
    fc.assert(
      fc.property(policies, all => {
        const limits = all.filter(({ attachment, policy }) => attachment.enabled && 'maxCpuUse' in policy.properties);
        const rules = (effectivePolicies(all).placement?.rules ?? []).filter(({ rule }) => rule === 'most');
        expect(rules.map(({ source }) => source.policyId).sort()).toEqual(
          limits.map(({ policyId }) => policyId).sort(),
        );
      }),
    );
  });
});
