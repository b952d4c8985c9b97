import type { AppliedPolicy, GroupHealthPolicy, GroupPolicies } from '../node-group/group-policies.js';
import type { ScalingPolicy, SetHealthPolicy, SetPolicies } from '../container-set/set-policies.js';
import { omitUndefined } from '../kernel/json.js';
import { murmur3 } from '../ring/murmur3.js';
import type { ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { EffectivePolicies, EffectivePolicy } from './effective-policies.js';
import type { BatchProperties, DeletionProperties, HealthProperties, ScalingProperties } from './policy-types.js';

/** Returns the values of the properties; their form was checked when the policies were created. */
const valuesOf = <P>({ properties }: EffectivePolicy): P =>
  Object.fromEntries(Object.entries(properties).map(([name, { value }]) => [name, value])) as P;

/** Returns what the policies of a set decide about its members. `random` draws with a seed that follows from the policy. */
export function setPoliciesOf({ deletion, batch, health }: EffectivePolicies): SetPolicies {
  const { criteria, byZone, graceSeconds, hook } = deletion ? valuesOf<DeletionProperties>(deletion) : {};
  const source = deletion?.properties['criteria']?.source;
  const seed = source ? murmur3(source.policyId, source.revision) : undefined;
  const { maxBatch = '100%', ...rest } = batch ? valuesOf<BatchProperties>(batch) : {};
  return {
    ...omitUndefined({ health: health && setHealthPolicyOf(health) }),
    ...(deletion
      ? {
          deletion: omitUndefined({
            criteria,
            byZone,
            seed,
            graceSeconds,
            hook: hook && { ...hook, ...sourceOf(deletion, 'hook') },
          }),
        }
      : {}),
    // a batch without a limit is as large as the strategy allows
    ...(batch ? { batch: { maxBatch: maxBatch as `${number}%` | number, ...rest } } : {}),
  };
}

/** Returns what the policies of a node group decide about its nodes. */
export function groupPoliciesOf(policies: EffectivePolicies): GroupPolicies {
  const { deletion, batch } = setPoliciesOf(omitUndefined({ deletion: policies.deletion, batch: policies.batch }));
  return omitUndefined({
    deletion: deletion && { ...deletion, ...sourceOf(policies.deletion, 'criteria', 'byZone') },
    batch: batch && { ...batch, ...sourceOf(policies.batch, 'maxBatch', 'pauseSeconds') },
    health: policies.health && groupHealthPolicyOf(policies.health),
  });
}

/** Returns the policy that decided the first of these properties that has one. */
function sourceOf(effective: EffectivePolicy | undefined, ...names: readonly string[]): AppliedPolicy {
  const source = names.map(name => effective?.properties[name]?.source).find(s => s !== undefined && s !== null);
  return source ? { policyId: source.policyId, policyRevision: source.revision } : {};
}

function groupHealthPolicyOf(health: EffectivePolicy): GroupHealthPolicy | undefined {
  const { detect = [], unhealthyAfterSeconds = 0, actions = [], maxUnhealthy = 1 } = valuesOf<HealthProperties>(health);
  const onNodes = actions.filter(isOnNodes);
  if (onNodes.length === 0) return undefined;
  const source = sourceOf(health, 'actions', 'detect', 'unhealthyAfterSeconds', 'maxUnhealthy');
  return { detect, unhealthyAfterSeconds, actions: onNodes, maxUnhealthy, ...source };
}

const isOnNodes = (action: HealthAction): action is GroupHealthPolicy['actions'][number] =>
  action.do !== 'restart' && action.do !== 'recreate';

/** The actions on nodes of a policy of a cluster say nothing of containers; one that has no others leaves them alone. */
function setHealthPolicyOf(health: EffectivePolicy): SetHealthPolicy | undefined {
  const { detect = [], unhealthyAfterSeconds = 0, actions = [], maxUnhealthy = 1 } = valuesOf<HealthProperties>(health);
  const onContainers = actions.filter(isOnContainers);
  if (onContainers.length === 0) return undefined;
  const source = sourceOf(health, 'actions', 'detect', 'unhealthyAfterSeconds', 'maxUnhealthy');
  return { detect, unhealthyAfterSeconds, actions: onContainers, maxUnhealthy, ...source };
}

type HealthAction = NonNullable<HealthProperties['actions']>[number];

const isOnContainers = (action: HealthAction): action is SetHealthPolicy['actions'][number] =>
  action.do !== 'reboot' && action.do !== 'rebuild';

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
