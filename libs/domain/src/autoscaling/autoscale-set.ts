import type { ScalingPolicy } from '../container-set/set-policies.js';
import type { NodeShare } from '../node-group/node-group-spec.js';
import type { ScalingDirection } from '../scaling/scaling-arithmetic.js';
import { omitUndefined } from '../kernel/json.js';
import { demandOf, type DemandSample, type MetricDemand } from './demand.js';
import { changeReason, contendedReason, steadyReason, waitingReason, type StepLimit } from './scaling-reasons.js';
import type { DirectionSettings, MemberLimits, SetAutoscaling } from './set-autoscaling.js';

export type AutoscalingState =
  | 'steady'
  | 'scalingOut'
  | 'scalingIn'
  | 'held'
  | 'unknown'
  | 'atMin'
  | 'atMax'
  | 'quotaLimited'
  | 'contended'
  | 'disabled';

/** One evaluation of the load. Times are milliseconds. */
export interface Evaluation {
  readonly at: number;
  readonly recommended: number;
}

/** What the autoscaler remembers between evaluations: nothing of it is needed after a restart. */
export interface AutoscalerMemory {
  /** Since when evaluations follow each other without a gap. */
  readonly since?: number;
  /** The evaluations of the longer stabilisation window, oldest first. */
  readonly evaluations: readonly Evaluation[];
}

export const blankMemory: AutoscalerMemory = { evaluations: [] };

export interface SetLoad {
  readonly now: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly limits: MemberLimits;
  /** At least those of the window. */
  readonly samples: readonly DemandSample[];
  /** Why nothing changes now beyond the bounds: a rollout goes back, back-off, the cluster is paused, a hold. */
  readonly held?: string;
  /** Who changes the number back and forth with the autoscaler. */
  readonly contendedBy?: string;
  /** How many members the quota of the project allows beyond the desired ones; default: any number. */
  readonly quotaLeft?: number;
  readonly policies?: { readonly [direction in ScalingDirection]?: ScalingPolicy };
  /** When the last change in a direction succeeded. */
  readonly scaledAt?: { readonly [direction in ScalingDirection]?: number };
}

export interface SetScaling {
  readonly state: AutoscalingState;
  /** The number that the set should have now; the present one where nothing changes. */
  readonly desired: number;
  readonly recommended: number | undefined;
  /** The recommendation of the stabilisation windows. */
  readonly stabilised: number;
  readonly reason: string;
  readonly metrics: readonly MetricDemand[];
  readonly memory: AutoscalerMemory;
  /** Milliseconds: until when a cooldown holds the number. */
  readonly heldUntil?: number;
  /** The policy that a change in this direction follows beside the settings. */
  readonly policy?: ScalingPolicy;
}

/** The least step out that the default of `maxStep` allows. */
const LEAST_STEP_OUT = 4;
/** Intervals without an evaluation after which the windows begin again. */
const GAP = 3;

function stepOf(share: NodeShare, desired: number): number {
  return typeof share === 'number' ? share : Math.ceil((desired * Number(share.replace('%', ''))) / 100);
}

const maxStepOf = ({ maxStep }: DirectionSettings, desired: number): number =>
  maxStep === undefined ? Math.max(LEAST_STEP_OUT, desired) : Math.max(1, stepOf(maxStep, desired));

/** Returns the most members by which a scaling policy changes the number; a policy with an exact number limits nothing. */
function policyStep({ adjustment }: ScalingPolicy, desired: number): number {
  const { type, number, minStep = 1 } = adjustment;
  if (type === 'exact') return Infinity;
  if (type === 'change') return number;
  return number === 0 ? 0 : Math.max(minStep, Math.ceil((desired * number) / 100 - 1e-9));
}

function remembered(
  memory: AutoscalerMemory,
  { now }: SetLoad,
  { intervalSeconds, scaleOut, scaleIn }: SetAutoscaling,
  recommended: number,
): AutoscalerMemory & { readonly since: number } {
  const last = memory.evaluations.at(-1)?.at;
  const isUnbroken = last !== undefined && now - last <= GAP * intervalSeconds * 1000;
  const keptMs = 1000 * Math.max(scaleOut.stabilisationSeconds, scaleIn.stabilisationSeconds);
  const kept = isUnbroken ? memory.evaluations.filter(({ at }) => at >= now - keptMs) : [];
  const since = isUnbroken ? (memory.since ?? now) : now;
  return { since, evaluations: [...kept, { at: now, recommended }] };
}

/** Returns the largest recommendation of the scale-in window; 0 without one. */
export function largestRecommended(
  { evaluations }: AutoscalerMemory,
  { scaleIn }: Pick<SetAutoscaling, 'scaleIn'>,
  now: number,
): number {
  const from = now - scaleIn.stabilisationSeconds * 1000;
  return evaluations.reduce((most, { at, recommended }) => (at >= from ? Math.max(most, recommended) : most), 0);
}

/** Out: the least recommendation of its window. In: the largest of its window, once evaluations cover it. Else the present number. */
function stabilisedBy(
  { since, evaluations }: AutoscalerMemory & { readonly since: number },
  { now, desired }: SetLoad,
  { scaleOut, scaleIn }: SetAutoscaling,
): number {
  const within = (seconds: number): readonly number[] =>
    evaluations.flatMap(({ at, recommended }) => (at >= now - seconds * 1000 ? [recommended] : []));
  const covers = (seconds: number): boolean => now - since >= seconds * 1000;
  const least = Math.min(...within(scaleOut.stabilisationSeconds));
  if (least > desired && covers(scaleOut.stabilisationSeconds)) return least;
  const most = Math.max(...within(scaleIn.stabilisationSeconds));
  return most < desired && covers(scaleIn.stabilisationSeconds) ? most : desired;
}

type Decided = Pick<SetScaling, 'desired' | 'state' | 'reason' | 'heldUntil' | 'policy'>;

interface Limited {
  readonly desired: number;
  readonly state: AutoscalingState;
  /** What kept the change from the number that the demand needs. */
  readonly limit?: StepLimit;
  readonly heldUntil?: number;
  readonly policy?: ScalingPolicy;
}

/** Limits a change by the step, the policy and its cooldown, the quota and the bounds, in this order. */
function limited(load: SetLoad, settings: SetAutoscaling, stabilised: number): Limited {
  const { desired, min, max, quotaLeft = Infinity, now } = load;
  const direction = stabilised > desired ? 'out' : 'in';
  const policy = load.policies?.[direction];
  const last = load.scaledAt?.[direction];
  const heldUntil = policy && last !== undefined ? last + policy.cooldownSeconds * 1000 : 0;
  if (now < heldUntil) return { desired, state: 'held', heldUntil };
  const own = maxStepOf(direction === 'out' ? settings.scaleOut : settings.scaleIn, desired);
  const step = Math.min(own, policy ? policyStep(policy, desired) : Infinity);
  const left = Math.max(0, quotaLeft);
  const wanted = direction === 'out' ? Math.min(stabilised, desired + step) : Math.max(stabilised, desired - step);
  const inBounds = Math.min(max, Math.max(min, wanted));
  const allowed = Math.min(inBounds, desired + left);
  const limit: StepLimit | undefined =
    allowed !== inBounds
      ? { by: 'quota', left }
      : inBounds !== wanted
        ? { by: direction === 'out' ? 'max' : 'min', bound: inBounds }
        : wanted !== stabilised
          ? { by: step < own ? 'policy' : 'maxStep', step }
          : undefined;
  const more = omitUndefined({ limit });
  if (allowed !== desired)
    return {
      desired: allowed,
      state: direction === 'out' ? 'scalingOut' : 'scalingIn',
      ...more,
      ...omitUndefined({ policy }),
    };
  const states = { quota: 'quotaLimited', max: 'atMax', min: 'atMin', policy: 'held', maxStep: 'held' } as const;
  return { desired, state: limit ? states[limit.by] : 'held', ...more };
}

/**
 * Decides how many members a set should have by the demand of its members. Pure: the caller hands in the samples and the memory of the
 * evaluation before, and applies the number. The bounds hold even while the autoscaler is held.
 */
export function autoscaleSet(settings: SetAutoscaling, load: SetLoad, memory: AutoscalerMemory): SetScaling {
  const { desired, min, max, now, limits } = load;
  const from = now - settings.windowSeconds * 1000;
  const samples = load.samples.filter(({ at }) => at > from && at <= now);
  const { metrics, recommended } = demandOf(samples, settings, { desired, limits });
  const next = remembered(memory, load, settings, recommended ?? desired);
  const answer = (decided: Decided, stabilised = desired): SetScaling => {
    return { ...decided, recommended, stabilised, metrics, memory: next };
  };
  if (!settings.enabled) return answer({ desired, state: 'disabled', reason: 'the set is not scaled by its load' });
  if (desired < min) return answer({ desired: min, state: 'scalingOut', reason: `the minimum is ${min}` });
  if (desired > max) return answer({ desired: max, state: 'scalingIn', reason: `the maximum is ${max}` });
  const { contendedBy, held } = load;
  if (contendedBy !== undefined) return answer({ desired, state: 'contended', reason: contendedReason(contendedBy) });
  if (held !== undefined) return answer({ desired, state: 'held', reason: held });
  if (recommended === undefined) return answer({ desired, state: 'unknown', reason: 'no member was sampled' });
  const stabilised = stabilisedBy(next, load, settings);
  const found = { desired, recommended, metrics };
  if (stabilised === desired) {
    const reason = recommended === desired ? steadyReason(found, settings) : waitingReason(found, settings);
    return answer({ desired, state: 'steady', reason });
  }
  const { limit, ...decided } = limited(load, settings, stabilised);
  const cooldown = decided.heldUntil !== undefined;
  const reason = changeReason(found, { stabilised, cooldown, ...omitUndefined({ limit }) }, settings);
  return answer({ ...decided, reason }, stabilised);
}
