import type { ContainerSetEvent, DisruptionCause } from './container-set-events.js';
import { isOutdatedMember, type ContainerSetState } from './container-set-state.js';
import { isReplacedForHealth, UNHEALTHY } from './set-health.js';
import { removalReasons } from './set-rollout.js';

/** What decides beside users and the autoscaler: the health policy, or a rollout. */
export type SetDecider = 'health' | 'rollout';

const ofCause = (cause: DisruptionCause): SetDecider | undefined =>
  cause === 'health' || cause === 'rollout' ? cause : undefined;

function ofMember(state: ContainerSetState, id: string | undefined): SetDecider | undefined {
  const member = state.members.get(id ?? '');
  if (!member) return undefined;
  if (isReplacedForHealth(member)) return 'health';
  return state.rollout && isOutdatedMember(state, member) ? 'rollout' : undefined;
}

function deciderOf(state: ContainerSetState, event: ContainerSetEvent): SetDecider | undefined {
  switch (event.type) {
    case 'MembersHealthChanged':
    case 'MembersRepaired':
      return 'health';
    case 'RolloutStarted':
    case 'RolloutPaused':
    case 'RolloutResumed':
    case 'RolloutEnded':
      return 'rollout';
    case 'DisruptionGranted':
      return ofCause(event.data.cause);
    case 'MembersAdded':
      return event.data.members.map(({ replaces }) => ofMember(state, replaces)).find(found => found !== undefined);
    case 'MemberRemovalAccepted': {
      const { reason } = event.data;
      if (reason === removalReasons.health || reason === UNHEALTHY) return 'health';
      return reason === removalReasons.rollout ? 'rollout' : undefined;
    }
    default:
      return undefined;
  }
}

/** Returns what has decided these events of a set, which are one decision; health before the rollout. Undefined: neither. */
export function setDeciderOf(state: ContainerSetState, events: readonly ContainerSetEvent[]): SetDecider | undefined {
  const found = events.map(event => deciderOf(state, event));
  return found.includes('health') ? 'health' : found.find(decider => decider !== undefined);
}
