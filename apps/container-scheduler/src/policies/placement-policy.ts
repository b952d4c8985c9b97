import {
  DEFAULT_PLACEMENT_POLICY,
  effectivePolicies,
  placementPolicyName,
  placementRulesOf,
  type ContainerSetState,
  type EffectivePolicies,
  type PlacementPolicy,
  type PolicyRules,
} from '@stave/domain';
import type { PolicyProjection } from '@stave/service-kit';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';

/** Returns what the policies of a container set and of its cluster result in. */
export const effectivePoliciesOf = (policies: PolicyProjection, { declared }: ContainerSetState): EffectivePolicies =>
  effectivePolicies(policies.attachedTo(declared.id, declared.clusterId));

const targetsOf = (clusterId: string, setId?: string): readonly string[] =>
  setId === undefined ? [clusterId] : [setId, clusterId];

/**
 * Returns the policy by which containers are placed in a cluster, those of a set with the set, under the names of the policies that shape it.
 * Their rules are part of the requests. Whoever places many containers asks once for each set.
 */
export function placementPolicyOf(policies: PolicyProjection, clusterId: string, setId?: string): PlacementPolicy {
  const name = placementPolicyName(effectivePolicies(policies.attachedTo(...targetsOf(clusterId, setId))));
  return name === undefined ? DEFAULT_PLACEMENT_POLICY : { ...DEFAULT_PLACEMENT_POLICY, name };
}

/** Returns whether policies of placement or affinity have a say in a cluster: those of the cluster, or of a set in it. */
export function isRuled(projection: SchedulerProjection, policies: PolicyProjection, clusterId: string): boolean {
  if (policies.bindings.size === 0) return false;
  const targets = [clusterId, ...projection.setsByCluster.in(clusterId)];
  return targets.some(id =>
    [...(policies.bindings.get(id)?.attachments.values() ?? [])].some(
      ({ policyType }) => policyType === 'placement' || policyType === 'affinity',
    ),
  );
}

/** Returns the rules by which the containers of a set, or of none, are placed. */
export const rulesIn = (policies: PolicyProjection, clusterId: string, setId?: string): PolicyRules =>
  placementRulesOf(effectivePolicies(policies.attachedTo(...targetsOf(clusterId, setId))));
