import { operationEnded } from '../kernel/operation.js';
import { failureReason, stuckOf, tellDegraded, type Events, type Facts } from './group-facts.js';
import type { GroupOperation, Member } from './node-group-state.js';

/** Its cluster has failed: nothing goes on here before that is tried again or deleted, so nobody waits for it. */
function blockedEvents({ state, leaving }: Facts, detail: string): Events {
  const end = ({ id, kind, cancelled }: GroupOperation): Events[number] => {
    if (leaving.length === 0 && cancelled) return operationEnded(id, 'CANCELLED');
    if (leaving.length === 0 && kind === 'node.delete') return operationEnded(id, 'SUCCEEDED');
    return operationEnded(id, 'FAILED', { code: 'cluster-failed', detail });
  };
  return state.operations.map(end);
}

/** What the group is now that membership is as it should be, and which operations that ends. */
export function statusEvents(facts: Facts, counted: readonly Member[]): Events {
  const { state, clusterId, leaving, input } = facts;
  const ready = counted.every(m => input.nodes(m.id)?.ready);
  if (ready && leaving.length === 0) {
    const active: Events = state.status === 'ACTIVE' ? [] : [{ type: 'NodeGroupBecameActive', data: { clusterId } }];
    return [...active, ...state.operations.map(o => operationEnded(o.id, o.cancelled ? 'CANCELLED' : 'SUCCEEDED'))];
  }
  const stuck = stuckOf(facts).length;
  const reason = failureReason(facts, counted);
  if (reason !== undefined) {
    if (counted.some(m => input.nodes(m.id)?.failed)) return tellDegraded(facts, reason, { code: 'nodes-failed' });
    const over = ready && stuck === leaving.length;
    const told = tellDegraded(facts, reason, over ? { code: 'removal-failed' } : undefined);
    if (told.length > 0) return told;
  }
  if (input.blocked !== undefined && stuck === leaving.length) return blockedEvents(facts, input.blocked);
  const lost = state.status === 'ACTIVE' && leaving.length === 0;
  return lost ? tellDegraded(facts, 'a node is not ready') : [];
}
