import { instantMs } from '../kernel/instant.js';
import { operationEnded } from '../kernel/operation.js';
import { updateBounds } from '../node-group/node-group-spec.js';
import type { ContainerSetEvent, DisruptionCause, PauseCode } from './container-set-events.js';
import { revisionOf, rolloutDone, type SetRollout } from './container-set-state.js';
import { mayTry, triesLeft } from './replace-failed.js';
import {
  additionsLeft,
  disruption,
  disruptionsLeft,
  removalOfMembers,
  setStepOperation,
  type SetEvents,
  type SetFacts,
  type StayingMember,
} from './set-facts.js';
import { newMembers } from './set-growth.js';
import { isReplacedForHealth } from './set-health.js';
import { isComplete } from './set-status.js';

/** The causes in the order in which they get grants. */
const causes: readonly DisruptionCause[] = ['health', 'eviction', 'shrink', 'rollout'];

/** The reasons of removals by their causes. */
export const removalReasons: Readonly<Record<DisruptionCause, string>> = {
  health: 'it is not healthy',
  eviction: 'its node is being emptied',
  shrink: 'its node is being removed',
  rollout: 'rolling replacement',
};

const isRolling = (rollout: SetRollout | undefined): boolean => rollout !== undefined && rollout.status !== 'PAUSED';

/** Returns why the member has to be replaced now; undefined where it may stay. */
function causeOf({ state }: SetFacts, { member, view, outdated }: StayingMember): DisruptionCause | undefined {
  // what waits for its release goes anyway
  if (member.release) return undefined;
  if (isReplacedForHealth(member)) return 'health';
  return view.mustGo ?? (outdated && isRolling(state.rollout) ? 'rollout' : undefined);
}

/** As {@link causeOf}, for members of one ordinal: a step that began before a rollout was paused on request is completed. */
function pairCauseOf(facts: SetFacts, one: StayingMember): DisruptionCause | undefined {
  const code = facts.state.rollout?.paused?.code;
  const isFinished = code === 'requested' || code === 'cancelled' || code === 'cluster-paused';
  return causeOf(facts, one) ?? (one.outdated && isFinished ? 'rollout' : undefined);
}

/**
 * Removes predecessors whose successor is available, as far as the budget allows, and the members of an ordinal that are not needed beside
 * each other any more.
 */
export function replacedMemberEvents(facts: SetFacts): SetEvents {
  let budget: number | undefined;
  const gone = new Map<DisruptionCause, StayingMember[]>();
  const unneeded: StayingMember[] = [];
  for (const slot of facts.slots.values()) {
    if (slot.length < 2) continue;
    const keep = bestOf(facts, slot);
    for (const other of slot) {
      if (other === keep) continue;
      if (!other.available) {
        // a successor on its way is needed as long as its predecessor has to go
        if (pairCauseOf(facts, keep) === undefined || pairCauseOf(facts, other) !== undefined) unneeded.push(other);
        continue;
      }
      // the place of a member may be the only one that its successor can have
      if (!keep.available && keep.view.waiting?.code !== 'unschedulable') continue;
      budget = (budget ?? disruptionsLeft(facts)) - 1;
      if (budget < 0) continue;
      const cause = pairCauseOf(facts, other) ?? 'rollout';
      gone.set(cause, [...(gone.get(cause) ?? []), other]);
    }
  }
  return [
    ...removalOfMembers(facts, unneeded, 'not needed any more', setStepOperation(facts.state)),
    ...causes.flatMap(cause => disruption(facts, gone.get(cause) ?? [], cause, removalReasons[cause])),
  ];
}

/** Returns the member of the ordinal that stays in the end: one that needs not go, available ones first. */
function bestOf(facts: SetFacts, slot: readonly StayingMember[]): StayingMember {
  const rank = (m: StayingMember): number => (pairCauseOf(facts, m) === undefined ? 0 : 2) + (m.available ? 0 : 1);
  return slot.reduce((best, m) => (rank(m) < rank(best) ? m : best));
}

/** Whether the next batch may begin, and how many members it may replace. Without a policy of batches: as many as the strategy allows. */
function batchLimit(facts: SetFacts): number {
  const { state, input, staying, slots } = facts;
  const { batch } = input.policies ?? {};
  if (!batch || !state.rollout) return Infinity;
  const inFlight = slots.size < state.spec.desired || staying.some(m => !m.available && !m.outdated);
  if (inFlight) return 0;
  const resumesMs = instantMs(state.rollout.advancedAt) + (batch.pauseSeconds ?? 0) * 1000;
  if (state.rollout.best > 0 && resumesMs > facts.nowMs) {
    facts.wake(resumesMs);
    return 0;
  }
  return Math.max(1, updateBounds({ maxSurge: 1, maxUnavailable: batch.maxBatch }, state.spec.desired).unavailable);
}

/** Removes members at once that have to go and are not available: that costs nothing. */
export function idleMemberEvents(facts: SetFacts): SetEvents {
  const idle = [...facts.slots.values()].flatMap(slot => {
    const [only] = slot;
    return slot.length === 1 && only && !only.available && !only.view.suspected ? [only] : [];
  });
  const byCause = causes.flatMap(cause => {
    const going = idle.filter(m => causeOf(facts, m) === cause);
    return removalOfMembers(facts, going, removalReasons[cause]);
  });
  return byCause;
}

/**
 * Replaces available members that have to go: successors come first as far as the surge allows; as many more are taken away as may be
 * missing. Health goes before eviction, shrinking and the rollout.
 */
export function replacementStep(facts: SetFacts): SetEvents {
  const { state, slots, surges } = facts;
  const single = [...slots.values()].flatMap(slot => (slot.length === 1 && slot[0]?.available ? [slot[0]] : []));
  const batch = batchLimit(facts);
  const going = causes.flatMap(cause => {
    const all = single.filter(m => causeOf(facts, m) === cause).sort((a, b) => a.member.ordinal - b.member.ordinal);
    return cause === 'rollout' ? all.slice(0, batch) : all;
  });
  if (going.length === 0) return [];
  const waiting = going.filter(m => !mayTry(facts, m.member.ordinal));
  const ready = going.filter(m => !waiting.includes(m));
  const vacant = Math.max(0, state.spec.desired - slots.size);
  const surge = surges ? Math.min(additionsLeft(facts) - vacant - waiting.length, triesLeft(facts)) : 0;
  const surged = ready.slice(0, Math.max(0, surge));
  const taken = triesLeft(facts) === Infinity ? ready.slice(surged.length).slice(0, disruptionsLeft(facts)) : [];
  const successors = newMembers(
    facts,
    surged.map(({ member: { id, ordinal } }) => ({ ordinal, replaces: id })),
  );
  const added = { members: successors, reason: 'successor', operationId: setStepOperation(state) };
  return [
    ...(successors.length > 0 ? [{ type: 'MembersAdded', data: added } as const] : []),
    ...causes.flatMap(cause =>
      disruption(
        facts,
        taken.filter(m => causeOf(facts, m) === cause),
        cause,
        removalReasons[cause],
      ),
    ),
  ];
}

const pausedBy = (code: PauseCode, reason: string): ContainerSetEvent => ({
  type: 'RolloutPaused',
  data: { code, reason },
});

/** Pauses a rollout whose batch failed, or that made no progress in time; the latter goes back once where the strategy says so. */
export function rolloutFailureEvents(facts: SetFacts): SetEvents {
  const { state, input, nowMs } = facts;
  const { rollout, spec } = state;
  if (!rollout || rollout.status === 'PAUSED') return [];
  const failed = [...state.backoffs.values()].find(b => b.revision === rollout.to && b.at >= rollout.startedAt);
  const { batch } = input.policies ?? {};
  if (batch && batch.stopOnFailure !== false && failed)
    return [...endOfRollout(facts, 'batch-failed', failed.reason), pausedBy('batch-failed', failed.reason)];
  const pause = batch?.pauseSeconds ?? 0;
  const deadlineMs = instantMs(rollout.advancedAt) + (spec.updateStrategy.progressDeadlineSeconds + pause) * 1000;
  if (deadlineMs > nowMs) {
    facts.wake(deadlineMs);
    return [];
  }
  if (isComplete(facts)) return [];
  const worst = failed ? `: ${failed.reason}` : '';
  const seconds = spec.updateStrategy.progressDeadlineSeconds;
  const reason = `${rolloutDone(state)} of ${spec.desired} were replaced, none within ${seconds} s${worst}`;
  const ended = endOfRollout(facts, 'no-progress-in-time', reason);
  const goesBack = spec.updateStrategy.onFailure === 'rollback' && rollout.kind === 'update' && !rollout.goingBack;
  if (!goesBack || rollout.from === rollout.to) return [...ended, pausedBy('no-progress-in-time', reason)];
  const to = revisionOf(state, rollout.from);
  const back = { kind: rollout.kind, from: rollout.to, to, operationId: rollout.operationId, goingBack: true } as const;
  return [...ended, { type: 'RolloutStarted', data: back }];
}

const endOfRollout = ({ state }: SetFacts, code: string, detail: string): SetEvents =>
  state.operations.filter(o => o.rolls).map(o => operationEnded(o.id, 'FAILED', { code, detail }));
