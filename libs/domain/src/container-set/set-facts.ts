import { instantMs } from '../kernel/instant.js';
import type { ContainerSetEvent, DisruptionCause } from './container-set-events.js';
import { canSurge } from './container-set-spec.js';
import {
  boundsOf,
  isOutdatedMember,
  revisionOf,
  type ContainerSetState,
  type SetMember,
} from './container-set-state.js';
import { SCALED_IN } from './set-membership.js';
import type { SetMemberView } from './set-member-view.js';
import type { SetPolicies } from './set-policies.js';

export type SetEvents = readonly ContainerSetEvent[];

/** Where the members of a set are, against the shares of the places that a placement policy lists. */
export interface MemberShares {
  /** Returns the place of a member; undefined for one without a node. */
  readonly placeOf: (id: string) => number | undefined;
  /** How many members the place has above its share; negative where it lacks some. */
  readonly balance: (place: number) => number;
}

export interface SetInput {
  readonly members: (id: string) => SetMemberView | undefined;
  /** Returns this many new ids. */
  readonly freshIds: (n: number) => readonly string[];
  /** The instant of the decision. */
  readonly now: string;
  /** The cluster is paused: nothing is started. */
  readonly paused?: boolean;
  readonly policies?: SetPolicies;
  /** The zone of the node that a member is on. */
  readonly zoneOf?: (id: string) => string | undefined;
  /** Compares where the members are with the shares of so many of them by a placement policy; undefined where none lists places. */
  readonly sharesOf?: (members: number) => MemberShares | undefined;
}

/** A member that stays, with what is known about it now. */
export interface StayingMember {
  readonly member: SetMember;
  readonly view: SetMemberView;
  /** It is active for long enough and has not failed. */
  readonly available: boolean;
  readonly outdated: boolean;
}

/** The facts that every rule needs, collected once for each check of the set. */
export interface SetFacts {
  readonly state: ContainerSetState;
  readonly input: SetInput;
  readonly nowMs: number;
  readonly staying: readonly StayingMember[];
  readonly leaving: readonly SetMember[];
  /** The staying members by ordinal: one, or a predecessor with its successors. */
  readonly slots: ReadonlyMap<number, readonly StayingMember[]>;
  readonly bounds: { readonly surge: number; readonly unavailable: number };
  readonly surges: boolean;
  /** Asks for another check at this time. */
  readonly wake: (ms: number) => void;
}

const unknown: SetMemberView = { deleted: false, waiting: { code: 'creating', reason: 'it is being created' } };

/** Milliseconds from which the member counts as available; undefined while it is not active. */
function availableFrom({ activeSince, failed }: SetMemberView, minReadySeconds: number): number | undefined {
  return activeSince === undefined || failed ? undefined : instantMs(activeSince) + minReadySeconds * 1000;
}

export function factsOf(state: ContainerSetState, input: SetInput, wake: (ms: number) => void): SetFacts {
  const nowMs = instantMs(input.now);
  const { minReadySeconds } = state.spec.updateStrategy;
  const staying: StayingMember[] = [];
  const leaving: SetMember[] = [];
  const slots = new Map<number, StayingMember[]>();
  for (const member of state.members.values()) {
    if (member.leaving) {
      leaving.push(member);
      continue;
    }
    const view = input.members(member.id) ?? unknown;
    const from = availableFrom(view, minReadySeconds);
    if (from !== undefined && from > nowMs) wake(from);
    const available = from !== undefined && from <= nowMs && !view.deleted;
    const one = { member, view, available, outdated: isOutdatedMember(state, member) };
    staying.push(one);
    const slot = slots.get(member.ordinal);
    if (slot) slot.push(one);
    else slots.set(member.ordinal, [one]);
  }
  const surges = canSurge(revisionOf(state));
  return { state, input, nowMs, staying, leaving, slots, bounds: boundsOf(state), surges, wake };
}

/** The operation that steps belong to: the rollout's, else the latest that runs; empty without one. */
export const setStepOperation = ({ operations }: ContainerSetState): string =>
  (operations.findLast(o => o.rolls) ?? operations.at(-1))?.id ?? '';

export function removalOfMembers(
  { state }: Pick<SetFacts, 'state'>,
  members: readonly StayingMember[],
  reason: string,
  operationId = setStepOperation(state),
): SetEvents {
  if (members.length === 0) return [];
  const memberIds = members.map(({ member }) => member.id);
  return [{ type: 'MemberRemovalAccepted', data: { memberIds, desired: state.spec.desired, reason, operationId } }];
}

/** Returns the members by ordinal that are above the desired number and wait for their release. */
export const awaitingSlots = ({ slots }: SetFacts): readonly (readonly StayingMember[])[] =>
  [...slots.values()].filter(slot => slot.some(m => m.member.release?.reason === SCALED_IN));

/** Counts the members that are available and stay: one that waits for its release may go at any time. */
export const countAvailable = ({ staying }: SetFacts): number =>
  staying.filter(m => m.available && !m.member.release).length;

/** Returns how many available members may be taken away now. */
export const disruptionsLeft = (facts: SetFacts): number =>
  Math.max(0, countAvailable(facts) - (facts.state.spec.desired - facts.bounds.unavailable));

/** Returns how many members may be added: leaving ones count as long as something of them may run. */
export function additionsLeft({ state, staying, leaving, bounds, input }: SetFacts): number {
  const running = leaving.filter(m => m.reason !== LOST && input.members(m.id)?.stuck === undefined).length;
  return Math.max(0, state.spec.desired + bounds.surge - staying.filter(m => !m.member.release).length - running);
}

/** Returns the grant for these available members, and their removal. */
export function disruption(
  facts: SetFacts,
  members: readonly StayingMember[],
  cause: DisruptionCause,
  reason: string,
): SetEvents {
  if (members.length === 0) return [];
  const { state, bounds } = facts;
  const numbers = { available: countAvailable(facts), desired: state.spec.desired, unavailable: bounds.unavailable };
  const memberIds = members.map(({ member }) => member.id);
  return [
    { type: 'DisruptionGranted', data: { memberIds, cause, ...numbers } },
    ...removalOfMembers(facts, members, reason),
  ];
}

/** The reason of members that were lost with their node. */
export const LOST = 'lost';
