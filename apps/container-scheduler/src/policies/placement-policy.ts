import {
  DEFAULT_PLACEMENT_POLICY,
  effectivePolicies,
  type ContainerSetState,
  type EffectivePolicies,
  type EffectivePolicy,
  type PlacementPolicy,
  type PlacementProperties,
} from '@stave/domain';
import type { PolicyProjection } from '@stave/service-kit';

/** Returns what the policies of a container set and of its cluster result in. */
export const effectivePoliciesOf = (policies: PolicyProjection, { declared }: ContainerSetState): EffectivePolicies =>
  effectivePolicies(policies.attachedTo(declared.id, declared.clusterId));

/**
 * Returns the policy by which containers are placed in a cluster, those of a set with the set: the default, as its placement policies change
 * it. Whoever places many containers asks once for each set.
 */
export function placementPolicyOf(policies: PolicyProjection, clusterId: string, setId?: string): PlacementPolicy {
  const targets = setId === undefined ? [clusterId] : [setId, clusterId];
  const { placement } = effectivePolicies(policies.attachedTo(...targets));
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
