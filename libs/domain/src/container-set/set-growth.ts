import { omitUndefined } from '../kernel/json.js';
import type { SetMemberDeclaration } from './container-set-events.js';
import { mayTry, triesLeft } from './replace-failed.js';
import { additionsLeft, awaitingSlots, setStepOperation, type SetEvents, type SetFacts } from './set-facts.js';

/** The maximum number of members that one append adds; further ones follow with the next. */
const MAX_PER_APPEND = 500;

/** The revision of new members: while a rollout pauses because its members fail, that of the members before. */
export function revisionOfNew({ rollout, target }: SetFacts['state']): number {
  const failed = rollout?.paused?.code === 'no-progress-in-time' || rollout?.paused?.code === 'batch-failed';
  return rollout && failed ? rollout.from : target;
}

/** Returns the lowest ordinals that are free; those whose back-off has not ended are passed over, since they are taken up again. */
function freeOrdinals(facts: SetFacts, n: number): readonly number[] {
  const { slots, leaving, surges, state } = facts;
  const held = new Set(surges ? [] : leaving.map(m => m.ordinal));
  const free: number[] = [];
  // an ordinal that waits is not replaced by another one
  const wanted = slots.size + n;
  for (let ordinal = 0, vacant = 0; vacant < n && ordinal < wanted + state.backoffs.size + held.size; ordinal++) {
    if (slots.has(ordinal)) continue;
    vacant += 1;
    if (!held.has(ordinal) && mayTry(facts, ordinal)) free.push(ordinal);
  }
  return free;
}

/** Declares members for these ordinals, which pass over the nodes on which their predecessors failed or from which they are moved. */
export function newMembers(
  facts: SetFacts,
  slots: readonly { readonly ordinal: number; readonly replaces?: string }[],
): readonly SetMemberDeclaration[] {
  const { state, input } = facts;
  const ids = input.freshIds(slots.length);
  const revision = revisionOfNew(state);
  return slots.map(({ ordinal, replaces }, i) => {
    const moved = facts.leaving.find(member => member.ordinal === ordinal && member.movedFrom !== undefined);
    const passOver = state.backoffs.get(ordinal)?.nodeId ?? moved?.movedFrom;
    return { id: ids[i] ?? '', ordinal, revision, ...omitUndefined({ replaces, passOver }) };
  });
}

/** Adds the members that are missing, at the lowest free ordinals. */
export function missingMemberEvents(facts: SetFacts): SetEvents {
  const { state, slots } = facts;
  const missing = state.spec.desired - (slots.size - awaitingSlots(facts).length);
  const most = Math.min(additionsLeft(facts), triesLeft(facts), MAX_PER_APPEND);
  if (missing <= 0 || most <= 0) return [];
  const ordinals = freeOrdinals(facts, missing).slice(0, most);
  if (ordinals.length === 0) return [];
  const members = newMembers(
    facts,
    ordinals.map(ordinal => ({ ordinal })),
  );
  return [{ type: 'MembersAdded', data: { members, reason: 'desired', operationId: setStepOperation(state) } }];
}
