import { instantMs, instantOf } from '../kernel/instant.js';
import { counted } from '../kernel/counted.js';
import { directionOf, type ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { SetEvaluation } from './autoscale-container-set.js';
import type { ContainerSetState } from './container-set-state.js';
import { memberName } from './member-declaration.js';
import type { ScalingPolicy } from './set-policies.js';

/** Why the number of members of a set does not change in a direction now. */
export type ScalingBlockCode =
  | 'DISABLED'
  /** The demand needs as many members as there are. */
  | 'DEMAND'
  | 'UNKNOWN'
  | 'STABILISING'
  | 'COOLDOWN'
  /** A rollout goes back, members fail, the cluster is paused, or a user has changed the number. */
  | 'HELD'
  | 'CONTENDED'
  /** The policy allows no step. */
  | 'LIMITED'
  | 'AT_MAX'
  | 'AT_MIN'
  | 'QUOTA'
  /** Members that have to go wait for their release. */
  | 'RELEASE_AWAITED'
  /** The removal of a member failed. */
  | 'REMOVAL_FAILED';

export interface ScalingBlock {
  readonly direction: ScalingDirection;
  readonly code: ScalingBlockCode;
  readonly sentence: string;
}

interface Scaling {
  /** Milliseconds. */
  readonly now: number;
  /** What the load needs now; absent for a set without settings of autoscaling. */
  readonly evaluation?: SetEvaluation;
  readonly policies?: { readonly [direction in ScalingDirection]?: ScalingPolicy };
  /** Why the removal of a leaving member failed. */
  readonly stuck?: (memberId: string) => string | undefined;
}

const directions = ['out', 'in'] as const;

const asSentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;

const bounds = { atMax: 'AT_MAX', atMin: 'AT_MIN', quotaLimited: 'QUOTA', steady: 'STABILISING' } as const;

/** Returns why the load does not change the number; nothing for the direction in which it does. */
function byLoad(desired: number, evaluation: SetEvaluation): readonly ScalingBlock[] {
  const { state, reason, recommended = desired, stabilised, heldUntil } = evaluation;
  const sentence = asSentence(reason);
  const both = (code: ScalingBlockCode) => directions.map(direction => ({ direction, code, sentence }));
  const wanted = directionOf(desired, stabilised === desired ? recommended : stabilised);
  if (state === 'disabled') return both('DISABLED');
  if (state === 'contended') return both('CONTENDED');
  if (state === 'unknown') return both('UNKNOWN');
  if (state === 'held' && stabilised === desired) return both('HELD');
  if (wanted === undefined) return both('DEMAND');
  const needs = asSentence(`the demand needs ${counted(recommended, 'member')}`);
  return directions.flatMap((direction): ScalingBlock[] => {
    if (direction !== wanted) return [{ direction, code: 'DEMAND', sentence: needs }];
    if (state === 'scalingOut' || state === 'scalingIn') return [];
    const held = heldUntil === undefined ? 'LIMITED' : 'COOLDOWN';
    return [{ direction, code: state === 'held' ? held : bounds[state], sentence }];
  });
}

const unfollowed = (direction: ScalingDirection): ScalingBlock => ({
  direction,
  code: 'DISABLED',
  sentence: 'The set is not scaled by its load.',
});

/** Returns the cooldowns that the action `scale` meets. */
function cooldowns({ scaledAt }: ContainerSetState, { now, policies = {} }: Scaling): readonly ScalingBlock[] {
  return directions.flatMap((direction): ScalingBlock[] => {
    const [policy, last] = [policies[direction], scaledAt[direction]];
    const until = policy && last !== undefined ? instantMs(last) + policy.cooldownSeconds * 1000 : 0;
    if (until <= now) return [];
    const sentence = `The cooldown of the direction ${direction} runs until ${instantOf(until)}.`;
    return [{ direction, code: 'COOLDOWN', sentence }];
  });
}

/** Returns what keeps members that have to go. */
function notGone({ declared, members }: ContainerSetState, { stuck }: Scaling): readonly ScalingBlock[] {
  const all = [...members.values()].sort((a, b) => a.ordinal - b.ordinal);
  return all.flatMap((member): ScalingBlock[] => {
    const name = memberName(declared.name, member);
    const until = member.leaving ? undefined : member.release?.until;
    if (until !== undefined) {
      const sentence = `Member ${name} waits for its release until ${until}.`;
      return [{ direction: 'in', code: 'RELEASE_AWAITED', sentence }];
    }
    const reason = member.leaving ? stuck?.(member.id) : undefined;
    return reason === undefined
      ? []
      : [{ direction: 'in', code: 'REMOVAL_FAILED', sentence: `The removal of member ${name} failed: ${reason}.` }];
  });
}

/** A set names at most so many members that do not go. */
const MOST_NAMED = 5;

/** Returns why a set does not grow or shrink now, members that do not go first. */
export function whyNotScaled(state: ContainerSetState, scaling: Scaling): readonly ScalingBlock[] {
  const { evaluation } = scaling;
  const own = evaluation ? byLoad(state.spec.desired, evaluation) : directions.map(unfollowed);
  const isKnown = own.some(({ code }) => code === 'COOLDOWN');
  return [...notGone(state, scaling).slice(0, MOST_NAMED), ...own, ...(isKnown ? [] : cooldowns(state, scaling))];
}
