import { isOutdated } from './group-membership.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { ROLLING_REPLACEMENT, type NodeGroupState } from './node-group-state.js';

/** What decides beside users and the autoscaler: the health policy, or a rollout. */
export type GroupDecider = 'health' | 'rollout';

function ofRemoval(state: NodeGroupState, nodeIds: readonly string[], reason: string): GroupDecider | undefined {
  if (reason === ROLLING_REPLACEMENT) return 'rollout';
  const members = nodeIds.flatMap(id => state.members.get(id) ?? []);
  // only a health policy notes that nodes are unhealthy
  if (reason === 'failed' && members.some(m => m.unhealthySince !== undefined)) return 'health';
  return reason === 'replaced' && members.some(m => isOutdated(state, m)) ? 'rollout' : undefined;
}

function deciderOf(state: NodeGroupState, event: NodeGroupEvent): GroupDecider | undefined {
  switch (event.type) {
    case 'NodesHealthChanged':
    case 'NodesRepaired':
      return 'health';
    case 'RolloutBatchAccepted':
    case 'NodeBatchEnded':
      return 'rollout';
    case 'NodesAdded':
      return event.data.reason === ROLLING_REPLACEMENT ? 'rollout' : undefined;
    case 'NodeRemovalAccepted':
      return ofRemoval(state, event.data.nodeIds, event.data.reason);
    default:
      return undefined;
  }
}

/** Returns what has decided these events of a group, which are one decision; health before the rollout. Undefined: neither. */
export function groupDeciderOf(state: NodeGroupState, events: readonly NodeGroupEvent[]): GroupDecider | undefined {
  const found = events.map(event => deciderOf(state, event));
  return found.includes('health') ? 'health' : found.find(decider => decider !== undefined);
}
