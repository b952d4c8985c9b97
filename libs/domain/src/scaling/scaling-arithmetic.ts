import { accept, conflict, refuse, type Decision, type Refusal } from '../kernel/decider.js';
import { instantMs, instantOf } from '../kernel/instant.js';

/** How a number of members changes: by a number, to a number, or by a percentage of the present number. */
export interface Adjustment {
  readonly type: 'change' | 'exact' | 'percentage';
  /** Members; of `percentage`: percent. Negative numbers take members away. */
  readonly number: number;
  /** The least number of members by which a percentage other than 0 changes. Default: 1. */
  readonly minStep?: number;
  /** A result outside the bounds is the bound itself instead of a refusal. Default: false. */
  readonly bestEffort?: boolean;
}

/** The least and greatest number of members; default: 0 and no maximum. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export type ScalingDirection = 'out' | 'in';

export type Scaled = { readonly ok: true; readonly count: number } | { readonly ok: false; readonly refusal: Refusal };

/** Half a millionth: what arithmetic with fractions of percents may be off by counts as nothing. */
const SLACK = 5e-7;

/** Returns the whole number that is farther from zero. */
const awayFromZero = (exact: number): number =>
  Math.sign(exact) * Math.ceil(Math.abs(exact) - Math.min(SLACK, Math.abs(exact) / 2));

/** Returns the number of members after the adjustment, without regard to bounds. */
function adjusted(from: number, { type, number, minStep = 1 }: Adjustment): number {
  if (type === 'exact') return number;
  if (type === 'change') return from + number;
  if (number === 0) return from;
  const step = Math.max(minStep, Math.abs(awayFromZero((from * number) / 100)));
  return from + Math.sign(number) * step;
}

/**
 * Returns the number of members that `from` members become. With a direction, an exact number against it changes nothing. Refuses a result
 * outside the bounds with `outside-bounds`, unless the adjustment takes the bound then.
 */
export function scaledCount(
  from: number,
  adjustment: Adjustment,
  { min = 0, max = Infinity }: Bounds,
  direction?: ScalingDirection,
): Scaled {
  const wanted = adjusted(from, adjustment);
  const isAgainst = (direction === 'out' && wanted < from) || (direction === 'in' && wanted > from);
  if (isAgainst) return { ok: true, count: from };
  const bound = Math.min(Math.max(wanted, min), max);
  if (wanted === bound || wanted === from) return { ok: true, count: wanted };
  if (adjustment.bestEffort) return { ok: true, count: bound };
  const detail = `${wanted} is ${wanted < min ? `below the minimum ${min}` : `above the maximum ${max}`}`;
  return { ok: false, refusal: conflict('outside-bounds', detail) };
}

/** Returns the adjustment in this direction: the number of a policy has no sign. */
export const adjustmentTowards = (direction: ScalingDirection, adjustment: Adjustment): Adjustment =>
  direction === 'in' && adjustment.type !== 'exact' ? { ...adjustment, number: -adjustment.number } : adjustment;

/** Returns the adjustment of `{count}`, or of `{change}` by a number or a percentage such as "-25%". */
export function adjustmentOf(
  request: { readonly count?: number; readonly change?: number | string },
  { minStep, bestEffort }: Pick<Adjustment, 'minStep' | 'bestEffort'> = {},
): Adjustment {
  const { count, change = 0 } = request;
  const how = { ...(minStep === undefined ? {} : { minStep }), ...(bestEffort === undefined ? {} : { bestEffort }) };
  if (count !== undefined) return { type: 'exact', number: count, ...how };
  const percent = typeof change === 'string' && change.endsWith('%');
  return { type: percent ? 'percentage' : 'change', number: Number.parseFloat(String(change)), ...how };
}

/** A cooldown that is running. */
export interface Cooldown {
  /** ISO 8601 in UTC. */
  readonly until: string;
}

/** Returns in which direction a number changes; undefined where it does not. */
export function directionOf(from: number, to: number): ScalingDirection | undefined {
  if (to === from) return undefined;
  return to > from ? 'out' : 'in';
}

/** Returns the cooldown of a policy after the last change in its direction had succeeded at this time; undefined without either. */
const cooldownOf = (
  last: string | undefined,
  policy: { readonly cooldownSeconds: number } | undefined,
): Cooldown | undefined =>
  last !== undefined && policy ? { until: instantOf(instantMs(last) + policy.cooldownSeconds * 1000) } : undefined;

/** Refuses a change in a direction whose cooldown is running, with the seconds that are left. */
export function cooldownRefusal(cooldown: Cooldown | undefined, now: string): Refusal | undefined {
  const leftMs = cooldown ? instantMs(cooldown.until) - instantMs(now) : 0;
  if (leftMs <= 0) return undefined;
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  const detail = `the last change in this direction was too recent; try again in ${retryAfterSeconds} s`;
  return { ...conflict('cooldown', detail), extra: { retryAfterSeconds }, retryAfterMs: leftMs };
}

interface DirectedScaling {
  readonly direction: ScalingDirection;
  /** Wins over the number of the policy. */
  readonly count?: number;
  /** The effective policy of the direction. */
  readonly policy?: { readonly adjustment: Adjustment; readonly cooldownSeconds: number };
  readonly now: string;
}

/**
 * Returns by how much a target is scaled in a direction. `last`: when the last change in this direction had succeeded. Refuses with
 * `no-policy` without a count and a policy, and with `cooldown` while that of the policy runs.
 */
export function directedAdjustment(
  target: string,
  { direction, count, policy, now }: DirectedScaling,
  last: string | undefined,
): { readonly ok: true; readonly adjustment: Adjustment } | { readonly ok: false; readonly refusal: Refusal } {
  const given: Adjustment | undefined = count === undefined ? undefined : { type: 'change', number: count };
  const adjustment = given ?? policy?.adjustment;
  if (!adjustment)
    return {
      ok: false,
      refusal: conflict('no-policy', `${target} has no scaling policy for ${direction}; give a count`),
    };
  const early = cooldownRefusal(cooldownOf(last, policy), now);
  return early ? { ok: false, refusal: early } : { ok: true, adjustment: adjustmentTowards(direction, adjustment) };
}

/** Accepts the events of a change that {@link scaledCount} allows; none where it changes nothing. */
export function decideScaled<E extends { readonly type: string; readonly data: unknown }>(
  scaled: Scaled,
  from: number,
  events: (count: number) => readonly E[],
): Decision<E> {
  if (!scaled.ok) return refuse(scaled.refusal);
  return scaled.count === from ? accept() : accept(...events(scaled.count));
}
