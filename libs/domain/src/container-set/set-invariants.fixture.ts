import type { ContainerSetEvent } from './container-set-events.js';
import { boundsOf, type ContainerSetState } from './container-set-state.js';
import type { SetSimulation } from './set-simulation.fixture.js';

/** The reasons of removals by which the set itself takes away what is available. */
const outside: ReadonlySet<string> = new Set([
  'failed',
  'lost',
  'replaced on request',
  'removed',
  'the set is deleted',
]);

/** Throws when the members that wait for their release are not as many as the set has counted. */
export function mustCountAwaiting({ members, awaiting }: ContainerSetState): void {
  const waiting = [...members.values()].filter(m => m.release?.reason === 'scaled in' && !m.leaving).length;
  if (awaiting !== waiting) throw new Error(`${awaiting} await their release, not ${waiting}`);
}

/** Throws when an event breaks what must always hold. */
export function invariants(set: SetSimulation): (event: ContainerSetEvent, before: ContainerSetState) => void {
  return (event, before) => {
    const { surge, unavailable } = boundsOf(before);
    const { desired } = set.state.spec;
    mustCountAwaiting(set.state);
    if (event.type === 'MembersAdded') {
      const running = set.members.filter(m => set.units.get(m.id)?.state !== 'lost').length;
      if (running > desired + surge) throw new Error(`${running} members of ${desired} + ${surge}`);
      const held = new Set([...before.members.values()].filter(m => !m.leaving).map(m => m.ordinal));
      for (const { ordinal, replaces } of event.data.members) {
        if (replaces !== undefined && !held.has(ordinal)) throw new Error(`${ordinal} has no predecessor`);
        if (replaces === undefined && held.has(ordinal)) throw new Error(`${ordinal} is held`);
        if (ordinal >= desired + set.state.backoffs.size && replaces === undefined)
          throw new Error(`${ordinal} is high`);
      }
    }
    if (event.type === 'MemberRemovalAccepted' && !outside.has(event.data.reason)) {
      const was = [...before.members.values()].filter(m => !m.leaving && set.isAvailable(m.id)).length;
      const is = set.available;
      if (is < Math.min(was, desired - unavailable)) throw new Error(`${is} available, ${was} before, of ${desired}`);
      const taken = event.data.memberIds.some(id => set.isAvailable(id));
      const granted = set.log.at(-2)?.event.type === 'DisruptionGranted' || event.data.reason === 'scaled in';
      if (taken && !granted) throw new Error('taken away without a grant');
    }
  };
}
