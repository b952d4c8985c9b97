import { counted } from '../kernel/counted.js';
import type { ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { MetricDemand } from './demand.js';
import type { SetAutoscaling } from './set-autoscaling.js';

/** What an evaluation found out about the demand of a set. */
export interface FoundDemand {
  readonly desired: number;
  readonly recommended: number;
  readonly metrics: readonly MetricDemand[];
}

/** What kept a change from the number that the demand needs. */
export type StepLimit =
  | { readonly by: 'maxStep' | 'policy'; readonly step: number }
  | { readonly by: 'max' | 'min'; readonly bound: number }
  | { readonly by: 'quota'; readonly left: number };

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
const SLACK = 1e-9;

/** At their limit members may need more than they get. */
function saturation(metrics: readonly MetricDemand[]): readonly string[] {
  const resources = metrics.filter(({ saturated }) => saturated).map(({ resource }) => resource);
  if (resources.length === 0) return [];
  return [`the members use all ${resources.join(' and ')} that they may, so the demand can be larger`];
}

const sentence = (parts: readonly string[], { metrics }: FoundDemand): string =>
  [...parts, ...saturation(metrics)].join('; ');

const needed = ({ recommended }: FoundDemand): string => `the demand needs ${counted(recommended, 'member')}`;

function why(metric: MetricDemand, { tolerance }: SetAutoscaling, desired: number): string {
  const { resource, ratio = 1, unknown } = metric;
  const is = `the use of ${resource} is ${percent(ratio)} of its target`;
  if (ratio >= (1 - tolerance) * (1 - SLACK)) return `${is}, within the tolerance of ${percent(tolerance)}`;
  const isUnsampled = ratio + unknown / desired >= (1 - tolerance) * (1 - SLACK);
  if (isUnsampled) return `${is}, and members that run without a sample count with the full target`;
  const fewer =
    desired === 1 ? 'any use needs 1 member' : `with ${counted(desired - 1, 'member')} it would be above the target`;
  return `${is}, and ${fewer}`;
}

/** Returns why the present number of members is what the demand needs. */
export function steadyReason(found: FoundDemand, settings: SetAutoscaling): string {
  const { desired, metrics } = found;
  if (desired === 0) return 'a set without members has no demand';
  const unknown = metrics.filter(({ recommended }) => recommended === undefined).map(({ resource }) => resource);
  const deciding = metrics.filter(({ recommended }) => recommended === desired);
  const parts = deciding.map(metric => why(metric, settings, desired));
  const unsampled = `nothing is known of ${unknown.join(' and ')}, so no member is taken away`;
  return sentence(unknown.length > 0 ? [...parts, unsampled] : parts, found);
}

/** Returns what has to last before the number follows the demand. */
export function waitingReason(found: FoundDemand, { scaleOut, scaleIn }: SetAutoscaling): string {
  const { desired, recommended } = found;
  const until =
    recommended > desired
      ? `the set grows once it has needed more than ${desired} for ${scaleOut.stabilisationSeconds} s`
      : `the set shrinks once it has needed fewer than ${desired} for ${scaleIn.stabilisationSeconds} s`;
  return sentence([needed(found), until], found);
}

function limitInWords(limit: StepLimit, direction: ScalingDirection): string {
  const verb = direction === 'out' ? 'adds' : 'removes';
  switch (limit.by) {
    case 'maxStep':
      return `one step ${verb} ${counted(limit.step, 'member')} at most (maxStep)`;
    case 'policy':
      return `the scaling policy ${verb} ${counted(limit.step, 'member')} at most`;
    case 'max':
      return `the maximum is ${limit.bound}`;
    case 'min':
      return `the minimum is ${limit.bound}`;
    case 'quota':
      return limit.left > 0
        ? `the quota of the project allows ${limit.left} more`
        : 'the quota of the project is used up';
  }
}

/** Returns what a change follows from: the need of now, that of the stabilisation window where it differs, and what limits the change. */
export function changeReason(
  found: FoundDemand,
  { stabilised, limit, cooldown = false }: { stabilised: number; limit?: StepLimit; cooldown?: boolean },
  { scaleOut, scaleIn }: SetAutoscaling,
): string {
  const direction = stabilised > found.desired ? 'out' : 'in';
  const window =
    direction === 'out'
      ? `the least of the last ${scaleOut.stabilisationSeconds} s is ${stabilised}`
      : `the most of the last ${scaleIn.stabilisationSeconds} s is ${stabilised}`;
  const parts = [
    needed(found),
    ...(stabilised === found.recommended ? [] : [window]),
    ...(limit ? [limitInWords(limit, direction)] : []),
    ...(cooldown ? [`the cooldown of the direction ${direction} runs`] : []),
  ];
  return sentence(parts, found);
}

export const contendedReason = (actor: string): string =>
  `${actor} changes the number back and forth with the autoscaler, which yields`;
