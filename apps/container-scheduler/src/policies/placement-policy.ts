import {
  DEFAULT_PLACEMENT_POLICY,
  effectivePolicies,
  placementPolicyName,
  type ContainerSetState,
  type EffectivePolicies,
  type PlacementPolicy,
} from '@stave/domain';
import type { PolicyProjection } from '@stave/service-kit';

/** Returns what the policies of a container set and of its cluster result in. */
export const effectivePoliciesOf = (policies: PolicyProjection, { declared }: ContainerSetState): EffectivePolicies =>
  effectivePolicies(policies.attachedTo(declared.id, declared.clusterId));

/**
 * Returns the policy by which containers are placed in a cluster, those of a set with the set, under the names of the policies that shape it.
 * Their rules are part of the requests. Whoever places many containers asks once for each set.
 */
export function placementPolicyOf(policies: PolicyProjection, clusterId: string, setId?: string): PlacementPolicy {
  const targets = setId === undefined ? [clusterId] : [setId, clusterId];
  const name = placementPolicyName(effectivePolicies(policies.attachedTo(...targets)));
  return name === undefined ? DEFAULT_PLACEMENT_POLICY : { ...DEFAULT_PLACEMENT_POLICY, name };
}
