import { brokenRules, type Problem, type Refusal } from '../kernel/decider.js';
import { membersWithoutEffect } from './policy-effects.js';
import type { PlacementProperties, PolicyProperties, PolicyType, ScalingProperties } from './policy-types.js';

const required = (pointer: string): Problem => ({ pointer, code: 'required', detail: `${pointer} is required` });

function duplicates(pointer: string, keys: readonly string[]): readonly Problem[] {
  const seen = new Set<string>();
  return keys.flatMap((key, i) => {
    if (!seen.has(key)) return (seen.add(key), []);
    return [{ pointer: `${pointer}/${i}`, code: 'duplicate', detail: `${pointer}/${i} is listed before` }];
  });
}

const placementProblems = ({ nodes = [], zones = [], regions = [], spread = [] }: PlacementProperties) => [
  ...duplicates(
    '/properties/nodes',
    nodes.map(({ node }) => node),
  ),
  ...duplicates(
    '/properties/zones',
    zones.map(({ name, region = '' }) => JSON.stringify([region, name])),
  ),
  ...duplicates(
    '/properties/regions',
    regions.map(({ name }) => name),
  ),
  ...duplicates(
    '/properties/spread',
    spread.map(({ by }) => by),
  ),
];

function scalingProblems({ direction, adjustment }: ScalingProperties): readonly Problem[] {
  const isMisplaced = adjustment?.minStep !== undefined && adjustment.type !== 'percentage';
  const detail = 'minStep belongs to adjustments by a percentage';
  return [
    ...(direction === undefined ? [required('/properties/direction')] : []),
    ...(adjustment === undefined ? [required('/properties/adjustment')] : []),
    ...(isMisplaced ? [{ pointer: '/properties/adjustment/minStep', code: 'not-applicable', detail }] : []),
  ];
}

/** Returns the broken rules of meaning of the properties; the schemas of the contracts check their form. */
export function policyRefusal(type: PolicyType, properties: PolicyProperties): Refusal | undefined {
  const problems = [
    ...(type === 'placement' ? placementProblems(properties as PlacementProperties) : []),
    ...(type === 'scaling' ? scalingProblems(properties as ScalingProperties) : []),
    ...(type === 'affinity' && !('rules' in properties) ? [required('/properties/rules')] : []),
    ...membersWithoutEffect(type, properties),
  ];
  return problems.length > 0 ? brokenRules(problems) : undefined;
}
