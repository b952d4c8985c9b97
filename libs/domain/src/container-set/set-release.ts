import { conflict, accept, changeRefusal, notFound, refuse, type Decision } from '../kernel/decider.js';
import { instantMs } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import { operationEnded, type OperationStart } from '../kernel/operation.js';
import type { ContainerSetEvent, ReleaseOutcome } from './container-set-events.js';
import type { ContainerSetState, MemberRelease, SetMember } from './container-set-state.js';
import {
  awaitingSlots,
  removalOfMembers,
  setStepOperation,
  type SetEvents,
  type SetFacts,
  type StayingMember,
} from './set-facts.js';
import { SCALED_IN } from './set-membership.js';
import type { DeletionHook } from './set-policies.js';
import { pickVictims } from './victims.js';

/** Returns the event with which members that have to go wait for their release, in service until then. */
export function releaseAwaited(
  hook: DeletionHook,
  data: {
    readonly memberIds: readonly string[];
    readonly reason: string;
    readonly operationId: string;
    readonly reducesDesired?: true;
    readonly by?: string;
    readonly operation?: OperationStart;
  },
): ContainerSetEvent {
  const { timeoutSeconds, onTimeout = 'proceed', url, policyId, policyRevision } = hook;
  return {
    type: 'MembersReleaseAwaited',
    data: { ...data, timeoutSeconds, onTimeout, ...omitUndefined({ url, policyId, policyRevision }) },
  };
}

const released = (memberIds: readonly string[], outcome: ReleaseOutcome, desired: number): ContainerSetEvent => ({
  type: 'MembersReleased',
  data: { memberIds, outcome, desired },
});

/** Returns the events after which the member is removed: it was released, or its time is over. */
function removalAfter(
  { spec: { desired } }: ContainerSetState,
  memberIds: readonly string[],
  outcome: ReleaseOutcome,
  { reason, operationId, reducesDesired, by }: MemberRelease,
): SetEvents {
  const left = reducesDesired ? desired - memberIds.length : desired;
  const data = { memberIds, desired: left, reason, operationId, ...omitUndefined({ by }) };
  return [released(memberIds, outcome, desired), { type: 'MemberRemovalAccepted', data }];
}

/** Returns the events of a member that is kept: what lowered the desired number is undone, and its operation fails. */
function abortEvents(state: ContainerSetState, { id }: SetMember, release: MemberRelease, detail: string): SetEvents {
  const { desired, max = Infinity } = state.spec;
  const kept = release.reason === SCALED_IN ? Math.min(max, desired + 1) : desired;
  const isOpen = state.operations.some(o => o.id === release.operationId);
  const error = { code: 'release-aborted', detail };
  return [released([id], 'aborted', kept), ...(isOpen ? [operationEnded(release.operationId, 'FAILED', error)] : [])];
}

/** Ends hooks whose time is over, or whose policy does not count any more. */
export function releaseEvents(facts: SetFacts): SetEvents {
  const { state, staying, input, nowMs, wake } = facts;
  const isHooked = input.policies?.deletion?.hook !== undefined;
  for (const { member } of staying) {
    const { release } = member;
    if (!release) continue;
    if (!isHooked) return removalAfter(state, [member.id], 'no-policy', release);
    const untilMs = instantMs(release.until);
    if (untilMs > nowMs) wake(untilMs);
    else if (release.onTimeout === 'proceed') return removalAfter(state, [member.id], 'timed-out', release);
    else return abortEvents(state, member, release, `nothing released it by ${release.until}`);
  }
  return [];
}

/** Removes the members above the desired number. Available ones wait for their release where the deletion policy has a hook. */
export function surplusMemberEvents(facts: SetFacts): SetEvents {
  const { state, input, slots } = facts;
  const { desired } = state.spec;
  const awaiting = awaitingSlots(facts);
  const before = Math.min(...awaiting.flat().map(m => m.member.release?.desired ?? desired));
  if (desired > before) {
    const kept = awaiting.slice(before - desired).flat();
    const memberIds = kept.map(m => m.member.id);
    return [released(memberIds, 'not-needed', desired)];
  }
  const surplus = slots.size - awaiting.length - desired;
  if (surplus <= 0) return [];
  const victims = pickVictims(facts, surplus).flat();
  const { hook } = input.policies?.deletion ?? {};
  const waits = (m: StayingMember): boolean => hook !== undefined && m.available;
  const gone = removalOfMembers(
    facts,
    victims.filter(m => !waits(m)),
    SCALED_IN,
  );
  const memberIds = victims.filter(waits).map(m => m.member.id);
  if (!hook || memberIds.length === 0) return gone;
  const asked = { memberIds, reason: SCALED_IN, operationId: setStepOperation(state) };
  return [...gone, releaseAwaited(hook, asked)];
}

interface EndRelease {
  readonly memberId: string;
  readonly action: 'release' | 'abort';
}

/** Releases the member, which is removed now, or keeps it. Refused with `no-release-awaited` where nothing waits for that. */
export function endMemberRelease(
  state: ContainerSetState,
  { memberId, action }: EndRelease,
): Decision<ContainerSetEvent> {
  const refusal = changeRefusal('the container set', state);
  if (refusal) return refuse(refusal);
  const member = state.members.get(memberId);
  if (!member) return refuse(notFound('the container'));
  const { release } = member;
  if (!release || member.leaving)
    return refuse(conflict('no-release-awaited', 'the removal of the container does not wait for its release'));
  return action === 'release'
    ? accept(...removalAfter(state, [memberId], 'released', release))
    : accept(...abortEvents(state, member, release, 'its removal was aborted'));
}
