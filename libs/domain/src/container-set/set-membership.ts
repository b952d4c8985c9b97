import { instantMs, secondsAfter } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import type { ContainerSetEvents } from './container-set-events.js';
import { rolloutDone, type ContainerSetState, type SetMember } from './container-set-state.js';

export function withMembers(
  state: ContainerSetState,
  { members: added, operationId, reason }: ContainerSetEvents['MembersAdded'],
  time: string,
): ContainerSetState {
  const members = new Map(state.members);
  for (const member of added)
    members.set(member.id, { ...member, leaving: false, operationId, reason, addedAt: time, availableMs: 0 });
  return { ...state, members };
}

/** The reason of members above the desired number. */
export const SCALED_IN = 'scaled in';

const isAwaiting = (member: SetMember | undefined): boolean => member?.release?.reason === SCALED_IN && !member.leaving;

/** Returns the state with these members, of which only those with these ids differ from before. */
function withMembersChanged(
  before: ContainerSetState,
  members: ReadonlyMap<string, SetMember>,
  ids: readonly string[],
): ContainerSetState {
  let { awaiting } = before;
  for (const id of new Set(ids))
    awaiting += Number(isAwaiting(members.get(id))) - Number(isAwaiting(before.members.get(id)));
  return { ...before, members, awaiting };
}

function withChanged(
  state: ContainerSetState,
  ids: readonly string[],
  change: (member: SetMember) => SetMember,
): ContainerSetState {
  const members = new Map(state.members);
  for (const id of ids) {
    const member = members.get(id);
    if (member) members.set(id, change(member));
  }
  return withMembersChanged(state, members, ids);
}

export function withHealth(
  state: ContainerSetState,
  { unhealthy, recovered }: ContainerSetEvents['MembersHealthChanged'],
  since: string,
): ContainerSetState {
  const less = withChanged(state, recovered, ({ unhealthy: _over, ...member }) => member);
  const found = new Map(unhealthy.map(({ memberId, by }) => [memberId, { by, since }]));
  return withChanged(less, [...found.keys()], m => ({ ...m, ...omitUndefined({ unhealthy: found.get(m.id) }) }));
}

export function withRepairs(
  state: ContainerSetState,
  { repairs }: ContainerSetEvents['MembersRepaired'],
): ContainerSetState {
  const byMember = new Map(
    repairs.map(({ memberId, do: action, generation }) => [memberId, { do: action, generation }]),
  );
  return withChanged(state, [...byMember.keys()], m => ({ ...m, ...omitUndefined({ repair: byMember.get(m.id) }) }));
}

export function withRelease(
  state: ContainerSetState,
  { memberIds, timeoutSeconds, onTimeout, ...asked }: ContainerSetEvents['MembersReleaseAwaited'],
  time: string,
): ContainerSetState {
  const { url, reason, operationId, reducesDesired, by } = asked;
  const until = secondsAfter(time, timeoutSeconds);
  const { desired } = state.spec;
  const release = { until, desired, onTimeout, reason, operationId, ...omitUndefined({ url, reducesDesired, by }) };
  return withChanged(state, memberIds, m => ({ ...m, release }));
}

/** Ends the wait. Where the desired number grows with it, those that still wait have to go as before. */
export function withoutRelease(
  state: ContainerSetState,
  { memberIds, desired }: ContainerSetEvents['MembersReleased'],
): ContainerSetState {
  const next = withChanged(state, memberIds, ({ release: _ended, ...member }) => member);
  const more = desired - state.spec.desired;
  if (more === 0) return next;
  const others = [...next.members.values()].filter(m => m.release).map(m => m.id);
  const kept = withChanged(next, others, m =>
    m.release ? { ...m, release: { ...m.release, desired: m.release.desired + more } } : m,
  );
  return { ...kept, spec: { ...state.spec, desired } };
}

export const withLeavingMembers = (
  state: ContainerSetState,
  { memberIds, reason, operationId, desired, movedFrom }: ContainerSetEvents['MemberRemovalAccepted'],
): ContainerSetState => ({
  ...withChanged(state, memberIds, m => ({
    ...m,
    leaving: true,
    reason,
    operationId,
    ...(movedFrom !== undefined && { movedFrom }),
  })),
  spec: desired === state.spec.desired ? state.spec : { ...state.spec, desired },
});

export function withoutMembers(state: ContainerSetState, ids: readonly string[]): ContainerSetState {
  const members = new Map(state.members);
  for (const id of ids) members.delete(id);
  return withMembersChanged(state, members, ids);
}

function unavailable({ availableSince, ...member }: SetMember, time: string): SetMember {
  return availableSince === undefined
    ? member
    : { ...member, availableMs: Math.max(0, instantMs(time) - instantMs(availableSince)) };
}

/** Notes which members are available. One that becomes available ends the row of failures, and may be progress of the rollout. */
export function withAvailability(
  state: ContainerSetState,
  { available, unavailable: lost }: ContainerSetEvents['MembersAvailabilityChanged'],
  time: string,
): ContainerSetState {
  const less = withChanged(state, lost, member => unavailable(member, time));
  if (available.length === 0) return less;
  const { backoffUntil: _over, ...next } = withChanged(less, available, m => ({ ...m, availableSince: time }));
  return withProgress({ ...next, failuresInRow: 0, advancedAt: time }, time);
}

function withProgress(state: ContainerSetState, time: string): ContainerSetState {
  const { rollout } = state;
  if (!rollout) return state;
  const done = rolloutDone(state);
  return done > rollout.best ? { ...state, rollout: { ...rollout, best: done, advancedAt: time } } : state;
}
