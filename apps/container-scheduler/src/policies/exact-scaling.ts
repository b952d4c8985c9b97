import { RefusedError } from '@stave/contracts';
import {
  brokenRules,
  scalingPolicyOf,
  type EffectivePolicies,
  type PolicyProperties,
  type ScalingProperties,
} from '@stave/domain';

function refusal(pointer: string): RefusedError {
  const detail = 'a set that follows its load cannot be scaled to an exact number by a policy';
  return new RefusedError(brokenRules([{ pointer, code: 'exact-policy', detail }]));
}

/** Whether a policy with these properties scales to an exact number. */
const isExact = (properties: PolicyProperties): boolean =>
  (properties as Partial<ScalingProperties>).adjustment?.type === 'exact';

/** Throws RefusedError (422) where a policy in force scales to an exact number. */
export function requireNoExactPolicy(policies: EffectivePolicies): void {
  for (const direction of ['out', 'in'] as const)
    if (scalingPolicyOf(policies, direction)?.adjustment.type === 'exact') throw refusal('/autoscaling/enabled');
}

/** Throws RefusedError (422) for properties that scale to an exact number where one of the targets is a set that follows its load. */
export function requireNoExactTarget(
  { followsLoad }: { readonly followsLoad: (targetId: string) => boolean },
  properties: PolicyProperties,
  targets: readonly string[],
  pointer: string,
): void {
  if (!isExact(properties)) return;
  if (targets.some(followsLoad)) throw refusal(pointer);
}
