import type { PlacementRequest, PlacementRules } from '../placement/index.js';
import { omitUndefined } from '../kernel/json.js';
import type { EffectivePolicies, EffectivePolicy, HardRule } from './effective-policies.js';
import type { AffinityRule, PlacementProperties, SpreadRule } from './policy-types.js';

/** What policies add to the requests of containers that are to be placed. */
export type PolicyRules = Pick<PlacementRequest, 'placement' | 'spread' | 'affinity'>;

const valueOf = <T>({ properties }: EffectivePolicy, property: string): T | undefined =>
  // the form was checked when the policy was created
  properties[property]?.value as T | undefined;

/** The lists of one hard rule: places that are allowed alone, or excluded. */
const restriction = ({ property, rule, value }: HardRule): NonNullable<PlacementRules['restrictions']>[number] => ({
  [property]: value,
  strict: rule === 'only',
});

/** Limits of all levels hold together: the lowest decides. */
function lowest({ rules }: EffectivePolicy, property: string): number | undefined {
  const limits = rules.flatMap(rule =>
    rule.property === property && rule.rule === 'most' ? [Number(rule.value)] : [],
  );
  return limits.length > 0 ? Math.min(...limits) : undefined;
}

function placementOf(policy: EffectivePolicy): PlacementRules {
  const lists = policy.rules.filter(({ rule }) => rule === 'only' || rule === 'never');
  return omitUndefined({
    nodes: valueOf<PlacementProperties['nodes']>(policy, 'nodes'),
    zones: valueOf<PlacementProperties['zones']>(policy, 'zones'),
    regions: valueOf<PlacementProperties['regions']>(policy, 'regions'),
    scorers: valueOf<PlacementProperties['scorers']>(policy, 'scorers'),
    maxCpuUse: lowest(policy, 'maxCpuUse'),
    maxMemoryUse: lowest(policy, 'maxMemoryUse'),
    windowSeconds: valueOf<number>(policy, 'windowSeconds'),
    whenUnknown: valueOf<PlacementProperties['whenUnknown']>(policy, 'whenUnknown'),
    // the lists share; what they allow alone is among the restrictions
    strict: false,
    restrictions: lists.length > 0 ? lists.map(restriction) : undefined,
  });
}

/** Hard rules of all levels, and then the soft ones that apply. */
function rulesOf<R>(policy: EffectivePolicy | undefined, property: string): readonly R[] {
  if (!policy) return [];
  const hard = policy.rules.flatMap(rule =>
    rule.property === property && rule.rule === 'hard' ? [rule.value as R] : [],
  );
  return [...hard, ...(valueOf<readonly R[]>(policy, property) ?? [])];
}

/** Returns what the policies of placement and affinity demand of where containers are placed. */
export function placementRulesOf({ placement, affinity }: EffectivePolicies): PolicyRules {
  const spread = rulesOf<SpreadRule>(placement, 'spread');
  const rules = rulesOf<AffinityRule>(affinity, 'rules');
  return {
    ...(placement ? { placement: placementOf(placement) } : {}),
    ...(spread.length > 0 ? { spread } : {}),
    ...(rules.length > 0 ? { affinity: rules } : {}),
  };
}

/** Names the policies that shape where containers are placed, with their revisions; undefined without any. */
export function placementPolicyName({ placement, affinity }: EffectivePolicies): string | undefined {
  const effective = [placement, affinity].flatMap(policy => (policy ? [policy] : []));
  const sources = effective.flatMap(({ properties, rules }) =>
    [...Object.values(properties), ...rules].flatMap(({ source }) => source ?? []),
  );
  const names = new Set(sources.map(({ policy, revision }) => `${policy}@${revision}`));
  return names.size > 0 ? [...names].join(',') : undefined;
}
