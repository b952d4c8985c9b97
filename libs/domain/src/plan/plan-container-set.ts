import type { ContainerSetState, SetMember } from '../container-set/container-set-state.js';
import { boundsOf } from '../container-set/container-set-state.js';
import { containerSetStream } from '../container-set/evolve-container-set.js';
import { memberName } from '../container-set/member-declaration.js';
import { reconcileContainerSet } from '../container-set/reconcile-container-set.js';
import type { SetInput } from '../container-set/set-facts.js';
import type { SetMemberView } from '../container-set/set-member-view.js';
import { instantMs, instantOf } from '../kernel/instant.js';
import type { PlanParts } from './plan-group.js';
import type { PlanStep } from './plan.js';

/** A change of a set: the state before (undefined for a creation), and the state after its events. */
export interface SetEffect {
  readonly before: ContainerSetState | undefined;
  readonly after: ContainerSetState;
}

/** The members of a set when a plan is made, and the instant of the plan. */
export type SetPlanInput = Omit<SetInput, 'freshIds'>;

/** The limit of rounds, above the need of the largest set. */
const MOST_ROUNDS = 50_000;
const LARGE = 100;
const STEPS = 16;

/** Large sets are simulated in larger steps than they are executed in. The order is the same. */
function inLargeSteps(state: ContainerSetState): ContainerSetState {
  const { desired, updateStrategy } = state.spec;
  if (desired <= LARGE) return state;
  const { surge, unavailable } = boundsOf(state);
  const larger = (n: number): number => (n === 0 ? 0 : Math.max(n, Math.ceil(desired / STEPS)));
  const strategy = { ...updateStrategy, maxSurge: larger(surge), maxUnavailable: larger(unavailable) };
  return { ...state, spec: { ...state.spec, updateStrategy: strategy } };
}

const stayingByOrdinal = ({ members, deleted, deleting }: ContainerSetState): ReadonlyMap<number, SetMember> =>
  new Map(deleted || deleting ? [] : [...members.values()].filter(m => !m.leaving).map(m => [m.ordinal, m]));

/** Yields one step for each member of the set, in order, as executed when nothing fails. Members that are kept come last. */
export function* planContainerSet({ before, after }: SetEffect, around: SetPlanInput): PlanParts {
  const order = new Map<number, string>();
  const note = (state: ContainerSetState, ids: readonly string[], reason: string): void => {
    for (const id of ids) {
      const ordinal = state.members.get(id)?.ordinal;
      if (ordinal !== undefined && !order.has(ordinal)) order.set(ordinal, reason);
    }
  };
  const first = stayingByOrdinal(before ?? { ...after, members: new Map() });
  const gone = [...first.values()].filter(m => after.members.get(m.id)?.leaving !== false);
  for (const { id, ordinal } of gone) order.set(ordinal, after.members.get(id)?.reason ?? 'deleted');
  let state = inLargeSteps(after);
  for (const { events, next } of simulateSet(state, around)) {
    state = next;
    for (const event of events)
      if (event.type === 'MembersAdded')
        note(
          next,
          event.data.members.map(m => m.id),
          event.data.reason,
        );
      else if (event.type === 'MemberRemovalAccepted') note(next, event.data.memberIds, event.data.reason);
    yield [];
  }
  const last = stayingByOrdinal(state);
  const ordinals = [...new Set([...order.keys(), ...first.keys()])];
  const steps = ordinals.flatMap(ordinal => step(after, first.get(ordinal), last.get(ordinal), order.get(ordinal)));
  yield [...steps.filter(s => s.action !== 'keep'), ...steps.filter(s => s.action === 'keep')];
}

function step(
  { declared }: ContainerSetState,
  was: SetMember | undefined,
  is: SetMember | undefined,
  why: string | undefined,
): readonly PlanStep[] {
  const reason = why === undefined ? {} : { reason: why };
  const old = was && { type: 'container', id: was.id, name: memberName(declared.name, was) };
  const fresh = is && `${declared.name}-${is.ordinal}`;
  if (!old)
    return fresh === undefined ? [] : [{ action: 'create', resource: { type: 'container', name: fresh }, ...reason }];
  if (fresh === undefined) return [{ action: 'remove', resource: old, ...reason }];
  if (was.id === is?.id) return [{ action: 'keep', resource: old }];
  return [{ action: 'replace', resource: old, by: fresh, ...reason }];
}

interface Round {
  readonly events: ReturnType<typeof reconcileContainerSet>['events'];
  readonly next: ContainerSetState;
}

/** Yields the events that follow when every member becomes available at once and every removal succeeds, until nothing follows. */
function* simulateSet(start: ContainerSetState, around: SetPlanInput): Generator<Round, void> {
  const views = new Map<string, SetMemberView>();
  const members = (id: string): SetMemberView | undefined => views.get(id) ?? around.members(id);
  let [state, made, nowMs] = [start, 0, instantMs(around.now)];
  const freshIds = (n: number): readonly string[] => Array.from({ length: n }, () => `planned-${++made}`);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const now = instantOf(nowMs);
    const { events, againMs } = reconcileContainerSet(state, { ...around, members, freshIds, now });
    for (const event of events) state = containerSetStream.evolve(state, event, now);
    if (events.length > 0) yield { events, next: state };
    else if (around.paused && !state.deleting) return;
    else if (!completeMembers(state, members, views, now)) {
      // only time is left: back-off, pauses between batches, members that have to be ready for some time
      const waits = againMs !== undefined && state.rollout?.status !== 'PAUSED' && state.status !== 'ACTIVE';
      if (!waits) return;
      nowMs += Math.max(1, againMs);
    }
  }
}

/** Ends what is under way. Returns whether anything was. */
function completeMembers(
  { members, deleted }: ContainerSetState,
  known: (id: string) => SetMemberView | undefined,
  views: Map<string, SetMemberView>,
  now: string,
): boolean {
  if (deleted) return false;
  let some = false;
  for (const { id, leaving } of members.values()) {
    const view = known(id);
    if (leaving ? view?.deleted : (view?.activeSince ?? view?.failed)) continue;
    views.set(id, leaving ? { deleted: true } : { deleted: false, activeSince: now });
    some = true;
  }
  return some;
}

/** Returns why the steps of each member cannot be predicted: members are on their way. Undefined when they can. */
export function unsettledSet({ before, after }: SetEffect): string | undefined {
  if (!before || after.deleting) return undefined;
  const moving = [...before.members.values()].some(m => m.leaving || m.availableSince === undefined);
  return moving || before.rollout
    ? 'members of the set are being added, removed or replaced; plan again when that has finished'
    : undefined;
}
