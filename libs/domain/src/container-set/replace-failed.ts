import { instantMs, instantOf } from '../kernel/instant.js';
import { operationEnded } from '../kernel/operation.js';
import { backoffMs } from './backoff.js';
import type { MemberFailure } from './container-set-events.js';
import type { ContainerSetState } from './container-set-state.js';
import { hasCondition } from '../kernel/condition.js';
import { LOST, removalOfMembers, type SetEvents, type SetFacts, type StayingMember } from './set-facts.js';

/** The failures in a row without an available member from which on one member at a time is tried. */
export const triesOneAtATime = ({ failuresInRow, spec }: ContainerSetState): boolean =>
  failuresInRow >= Math.max(3, spec.desired);

export const hasStopped = (state: ContainerSetState): boolean => hasCondition(state, 'RetriesExhausted');

/** Returns how often the ordinal of the member failed in a row in its revision before now. */
export function failuresBefore({ state }: SetFacts, { member }: StayingMember): number {
  const before = state.backoffs.get(member.ordinal);
  const isReset = member.availableMs >= state.spec.backoff.resetAfterSeconds * 1000;
  return before?.revision === member.revision && !isReset ? before.failures : 0;
}

/** Returns the failure of the member, with the instant from which its ordinal may be tried again. */
function failureOf(facts: SetFacts, one: StayingMember): MemberFailure {
  const { member, view } = one;
  const { id, ordinal, revision } = member;
  const failures = failuresBefore(facts, one) + 1;
  const until = instantOf(facts.nowMs + backoffMs(facts.state.spec.backoff, failures, id));
  const { code = '', reason = '' } = view.failed ?? view.unhealthy ?? {};
  const nodeId = view.failed?.nodeId;
  return { ordinal, revision, failures, until, code, reason, ...(nodeId === undefined ? {} : { nodeId }) };
}

/** Returns the failures of these members, after which their ordinals wait before they are tried again. */
export function backoffEvents(facts: SetFacts, failed: readonly StayingMember[]): SetEvents {
  if (failed.length === 0) return [];
  const { state } = facts;
  const failures = failed.map(one => failureOf(facts, one));
  const row = { ...state, failuresInRow: state.failuresInRow + failures.length };
  const next = Math.min(...failures.map(f => instantMs(f.until)));
  const { giveUpAfter = Infinity } = state.spec.backoff;
  const stopsRetrying = failures.some(f => f.failures >= giveUpAfter);
  const data = {
    failures,
    ...(triesOneAtATime(row) ? { backoffUntil: instantOf(next) } : {}),
    ...(stopsRetrying ? { stopsRetrying: true as const } : {}),
  };
  const detail = failures[0]?.reason ?? '';
  const open = stopsRetrying ? state.operations : [];
  return [
    { type: 'BackoffStarted', data },
    ...open.map(o => operationEnded(o.id, 'FAILED', { code: 'crash-loop', detail })),
  ];
}

/**
 * Removes members that failed or were lost, at once and outside the budget; the successors of those that failed wait. What the health policy
 * of the set checks is left to it.
 */
export function failedMemberEvents(facts: SetFacts): SetEvents {
  const failed = facts.staying.filter(({ view }) => view.failed);
  const lost = failed.filter(({ view }) => view.failed?.lost);
  const isLeft = facts.input.policies?.health?.detect.includes('status') === true;
  const broken = isLeft ? [] : failed.filter(({ view }) => !view.failed?.lost);
  return [
    ...removalOfMembers(facts, lost, LOST),
    ...removalOfMembers(facts, broken, 'failed'),
    ...backoffEvents(facts, broken),
  ];
}

/** Returns whether the ordinal may be tried now; asks for a check when its time has come. */
export function mayTry(facts: SetFacts, ordinal: number): boolean {
  const backoff = facts.state.backoffs.get(ordinal);
  if (!backoff) return true;
  if (hasStopped(facts.state)) return false;
  const untilMs = instantMs(backoff.until);
  if (untilMs <= facts.nowMs) return true;
  facts.wake(untilMs);
  return false;
}

/** Returns how many members may be tried at once: one, and only while no other is on its way, after too many failures in a row. */
export function triesLeft({ state, staying }: SetFacts): number {
  if (hasStopped(state)) return 0;
  if (!triesOneAtATime(state)) return Infinity;
  return staying.some(m => !m.available && !m.view.failed && !m.member.unhealthy) ? 0 : 1;
}
