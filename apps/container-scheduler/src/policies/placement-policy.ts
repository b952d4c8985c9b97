import {
  DEFAULT_PLACEMENT_POLICY,
  effectivePolicies,
  type EffectivePolicy,
  type PlacementPolicy,
  type PlacementProperties,
} from '@stave/domain';
import type { PolicyProjection } from '@stave/service-kit';

/** Returns the policy by which containers are placed in a cluster: the default, as its placement policies change it. */
export function placementPolicyOf(policies: PolicyProjection, clusterId: string): PlacementPolicy {
  const { placement } = effectivePolicies(policies.attachedTo(clusterId));
  const scorers = placement?.properties['scorers']?.value as PlacementProperties['scorers'];
  if (!placement || scorers === undefined) return DEFAULT_PLACEMENT_POLICY;
  const { leastCpu = 0, leastMemory = 0, spread = 0 } = scorers;
  return { ...DEFAULT_PLACEMENT_POLICY, name: nameOf(placement), weights: { leastCpu, leastMemory, spread } };
}

/** Names the policies that shaped a decision, with their revisions. */
function nameOf({ properties, rules }: EffectivePolicy): string {
  const sources = [...Object.values(properties), ...rules].flatMap(({ source }) => source ?? []);
  return [...new Set(sources.map(({ policy, revision }) => `${policy}@${revision}`))].join(',');
}
