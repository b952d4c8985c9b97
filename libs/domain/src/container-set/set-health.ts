import { instantMs } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import type { MemberRemedy } from './container-set-events.js';
import type { SetMember } from './container-set-state.js';
import { backoffEvents, failuresBefore, mayTry, triesLeft } from './replace-failed.js';
import { removalOfMembers, type SetEvents, type SetFacts, type StayingMember } from './set-facts.js';
import type { SetHealthPolicy } from './set-policies.js';

type Finding = NonNullable<StayingMember['view']['unhealthy']>;

/** Returns what the policy finds about the member now. */
function foundOn({ input }: SetFacts, { view }: StayingMember): Finding | undefined {
  const { unhealthy } = view;
  return unhealthy && input.policies?.health?.detect.includes(unhealthy.by) ? unhealthy : undefined;
}

/** Notes which members the health policy finds unhealthy, and which ones not any more. */
export function memberHealthEvents(facts: SetFacts): SetEvents {
  const unhealthy = facts.staying.flatMap(one => {
    const found = foundOn(facts, one);
    if (!found || found.by === one.member.unhealthy?.by) return [];
    return [{ memberId: one.member.id, by: found.by, code: found.code, reason: found.reason }];
  });
  const recovered = facts.staying.filter(one => one.member.unhealthy && !foundOn(facts, one)).map(m => m.member.id);
  if (unhealthy.length === 0 && recovered.length === 0) return [];
  return [{ type: 'MembersHealthChanged', data: { unhealthy, recovered } }];
}

/** Returns whether the health policy replaces the member, which stays until the budget lets it go. */
export const isReplacedForHealth = ({ unhealthy, repair }: SetMember): boolean =>
  unhealthy !== undefined && repair?.do === 'replace';

/** Returns the members that have been unhealthy for as long as the policy says; asks for a check of the others. */
function dueMembers({ staying, nowMs, wake }: SetFacts, { unhealthyAfterSeconds }: SetHealthPolicy) {
  return staying.filter(({ member }) => {
    if (!member.unhealthy) return false;
    const dueMs = instantMs(member.unhealthy.since) + unhealthyAfterSeconds * 1000;
    if (dueMs > nowMs) wake(dueMs);
    return dueMs <= nowMs;
  });
}

/** Returns a number, or a share of the total rounded up; at least 1. */
export const shareOf = (share: number | string, total: number): number =>
  Math.max(1, typeof share === 'number' ? share : Math.ceil((total * Number(share.replace('%', ''))) / 100));

interface UnhealthyCount {
  readonly unhealthy: number;
  /** With more nothing is done. */
  readonly most: number;
  readonly isTooMany: boolean;
}

/** Counts the ordinals that are unhealthy, or have failed and are not available since. */
export function unhealthyCount(facts: SetFacts): UnhealthyCount {
  const { state, slots, input } = facts;
  const policy = input.policies?.health;
  if (!policy) return { unhealthy: 0, most: Infinity, isTooMany: false };
  const ordinals = new Set(dueMembers(facts, policy).map(m => m.member.ordinal));
  for (const ordinal of state.backoffs.keys())
    if (ordinal < state.spec.desired && !slots.get(ordinal)?.some(m => m.available)) ordinals.add(ordinal);
  const most = shareOf(policy.maxUnhealthy, state.spec.desired);
  return { unhealthy: ordinals.size, most, isTooMany: ordinals.size > most };
}

/**
 * Returns what the policy does next about the member: its actions in turn, by the failures of the ordinal in a row; the last one repeats. What
 * runs and only a user moves is built again on its node in place of a replacement, and is left alone where the node is what fails.
 */
function remedyFor(facts: SetFacts, { actions }: SetHealthPolicy, one: StayingMember, found: Finding) {
  const inTurn = actions.flatMap(({ do: action, attempts = 1 }): MemberRemedy[] => Array(attempts).fill(action));
  // nothing can be started again where the node is what fails
  if (found.by === 'node' || !found.keepsNode)
    return inTurn.includes('replace') && !found.isFixed ? 'replace' : undefined;
  const next = inTurn[Math.min(failuresBefore(facts, one), inTurn.length - 1)];
  return next === 'replace' && found.isFixed ? 'recreate' : next;
}

interface Repair {
  readonly one: StayingMember;
  readonly found: Finding;
  readonly remedy: MemberRemedy;
}

/** Returns the repairs that may begin now. A member that leaves anyway, or has a successor, is left to that. */
function repairsNow(facts: SetFacts, policy: SetHealthPolicy): readonly Repair[] {
  return dueMembers(facts, policy).flatMap(one => {
    const { member, view } = one;
    const found = foundOn(facts, one);
    const isAlone = facts.slots.get(member.ordinal)?.length === 1;
    const isUnderWay = member.repair?.generation === found?.generation || isReplacedForHealth(member);
    if (!found || view.mustGo !== undefined || !isAlone || isUnderWay) return [];
    const remedy = remedyFor(facts, policy, one, found);
    return remedy === undefined || !mayTry(facts, member.ordinal) ? [] : [{ one, found, remedy }];
  });
}

/**
 * Begins what the health policy does about members that are unhealthy for long enough; nothing while too many are. Each action counts as a
 * failure of the ordinal, whose next one waits. Members on failed nodes are replaced within the budget, and are not to blame.
 */
export function memberRepairEvents(facts: SetFacts): SetEvents {
  const policy = facts.input.policies?.health;
  if (!policy) return [];
  const { unhealthy, most: maxUnhealthy, isTooMany } = unhealthyCount(facts);
  if (isTooMany) return [];
  const begun = repairsNow(facts, policy).slice(0, triesLeft(facts));
  if (begun.length === 0) return [];
  const repairs = begun.map(({ one: { member }, found: { generation }, remedy }) => {
    return { memberId: member.id, ordinal: member.ordinal, do: remedy, generation };
  });
  const { policyId, policyRevision } = policy;
  const data = { repairs, unhealthy, maxUnhealthy, ...omitUndefined({ policyId, policyRevision }) };
  const own = begun.filter(({ found }) => found.by !== 'node');
  const replaced = own.filter(({ remedy }) => remedy === 'replace').map(({ one }) => one);
  return [
    { type: 'MembersRepaired', data },
    ...removalOfMembers(facts, replaced, UNHEALTHY),
    ...backoffEvents(
      facts,
      own.map(({ one }) => one),
    ),
  ];
}

/** The reason of members that a health policy removes because they failed, or their health checks did. */
export const UNHEALTHY = 'unhealthy';
