import type { ScalingPolicy, SetPolicies } from '../container-set/set-policies.js';
import { omitUndefined } from '../kernel/json.js';
import { murmur3 } from '../ring/murmur3.js';
import type { ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { EffectivePolicies, EffectivePolicy } from './effective-policies.js';
import type { BatchProperties, DeletionProperties, ScalingProperties } from './policy-types.js';

/** Returns the values of the properties; their form was checked when the policies were created. */
const valuesOf = <P>({ properties }: EffectivePolicy): P =>
  Object.fromEntries(Object.entries(properties).map(([name, { value }]) => [name, value])) as P;

/** Returns what the policies of a set decide about its members. `random` draws with a seed that follows from the policy. */
export function setPoliciesOf({ deletion, batch }: EffectivePolicies): SetPolicies {
  const { criteria, byZone } = deletion ? valuesOf<DeletionProperties>(deletion) : {};
  const source = deletion?.properties['criteria']?.source;
  const seed = source ? murmur3(source.policyId, source.revision) : undefined;
  const { maxBatch = '100%', ...rest } = batch ? valuesOf<BatchProperties>(batch) : {};
  return {
    ...(deletion ? { deletion: omitUndefined({ criteria, byZone, seed }) } : {}),
    // a batch without a limit is as large as the strategy allows
    ...(batch ? { batch: { maxBatch: maxBatch as `${number}%` | number, ...rest } } : {}),
  };
}

/** Returns the policy by which a target is scaled in this direction; undefined without one. */
export function scalingPolicyOf(policies: EffectivePolicies, direction: ScalingDirection): ScalingPolicy | undefined {
  const effective = direction === 'in' ? policies.scalingIn : policies.scalingOut;
  if (!effective) return undefined;
  const { adjustment, cooldownSeconds = 0 } = valuesOf<ScalingProperties>(effective);
  if (!adjustment) return undefined;
  const source = effective.properties['adjustment']?.source;
  const by = source ? { policyId: source.policyId, policyRevision: source.revision } : {};
  return { adjustment, cooldownSeconds, ...by };
}
