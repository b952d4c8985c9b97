import { operationEnded } from '../kernel/operation.js';
import type { ContainerSetState } from './container-set-state.js';
import { failedMemberEvents } from './replace-failed.js';
import { factsOf, removalOfMembers, type SetEvents, type SetFacts, type SetInput } from './set-facts.js';
import { missingMemberEvents } from './set-growth.js';
import { releaseEvents, surplusMemberEvents } from './set-release.js';
import { memberHealthEvents, memberRepairEvents } from './set-health.js';
import { idleMemberEvents, replacedMemberEvents, replacementStep, rolloutFailureEvents } from './set-rollout.js';
import { setStatusEvents } from './set-status.js';

function goneMemberEvents({ leaving, input }: SetFacts): SetEvents {
  const memberIds = leaving.filter(m => input.members(m.id)?.deleted).map(m => m.id);
  return memberIds.length > 0 ? [{ type: 'MembersGone', data: { memberIds } }] : [];
}

/** Removes members whose container was deleted although its set did not ask for that: with its cluster. */
function strayMemberEvents(facts: SetFacts): SetEvents {
  return removalOfMembers(
    facts,
    facts.staying.filter(m => m.view.deleted),
    'deleted',
  );
}

function availabilityEvents({ staying }: SetFacts): SetEvents {
  const changed = staying.filter(m => m.available !== (m.member.availableSince !== undefined));
  if (changed.length === 0) return [];
  const ids = (available: boolean): readonly string[] =>
    changed.filter(m => m.available === available).map(m => m.member.id);
  return [{ type: 'MembersAvailabilityChanged', data: { available: ids(true), unavailable: ids(false) } }];
}

function deletionEvents(facts: SetFacts): SetEvents {
  const { state, staying, leaving } = facts;
  if (staying.length > 0) return removalOfMembers(facts, staying, 'the set is deleted', state.lastOperationId);
  if (leaving.length > 0) return [];
  const cancelled = { code: 'deleted', detail: 'the container set was deleted' };
  const ended = state.operations.map(({ id, kind }) =>
    kind === 'container-set.delete' ? operationEnded(id, 'SUCCEEDED') : operationEnded(id, 'CANCELLED', cancelled),
  );
  return [{ type: 'ContainerSetDeleted', data: { clusterId: state.declared.clusterId } }, ...ended];
}

/** A rollout waits while its cluster is paused, and its time with it. */
function clusterPauseEvents({ state, input }: SetFacts): SetEvents {
  const { rollout } = state;
  const waits = rollout?.paused?.code === 'cluster-paused';
  if (input.paused && rollout && rollout.status !== 'PAUSED')
    return [{ type: 'RolloutPaused', data: { code: 'cluster-paused', reason: 'the cluster is paused' } }];
  return !input.paused && waits ? [{ type: 'RolloutResumed', data: {} }] : [];
}

/** The rules in the order in which they apply. The first that results in events ends the round. */
const always = [goneMemberEvents, strayMemberEvents, clusterPauseEvents];
const rules = [
  availabilityEvents,
  memberHealthEvents,
  failedMemberEvents,
  memberRepairEvents,
  rolloutFailureEvents,
  replacedMemberEvents,
  releaseEvents,
  surplusMemberEvents,
  idleMemberEvents,
  missingMemberEvents,
  replacementStep,
  setStatusEvents,
];

export interface SetLook {
  readonly events: SetEvents;
  /** Milliseconds after which time alone may change the decision; absent where only an event does. */
  readonly againMs?: number;
}

/**
 * Returns the next events that bring the set to its wanted state; none when there is nothing to do now. Level-triggered and idempotent: the
 * same facts result in the same events.
 */
export function reconcileContainerSet(state: ContainerSetState, input: SetInput): SetLook {
  if (state.deleted) return { events: [] };
  let again = Infinity;
  const facts = factsOf(state, input, ms => {
    again = Math.min(again, ms);
  });
  const those = state.deleting ? [deletionEvents] : input.paused ? [] : rules;
  for (const rule of [...always, ...those]) {
    const events = rule(facts);
    if (events.length > 0) return { events };
  }
  return again === Infinity ? { events: [] } : { events: [], againMs: Math.max(0, again - facts.nowMs) };
}
