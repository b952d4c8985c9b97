import { operationEnded } from '../kernel/operation.js';
import {
  degradedEvents,
  failedRemovals,
  failureReason,
  progressDetail,
  updateFailure,
  type Events,
  type GroupFacts,
} from './group-facts.js';
import type { GroupOperation, Member, NodeGroupState } from './node-group-state.js';
import { isRolling } from './rollout.js';

/** Ends the operations of a group whose cluster has failed, since nothing continues before the cluster is retried or deleted. */
function blockedEvents({ state, leaving }: GroupFacts, detail: string): Events {
  const end = ({ id, kind, cancelled }: GroupOperation): Events[number] => {
    if (leaving.length === 0 && cancelled) return operationEnded(id, 'CANCELLED');
    if (leaving.length === 0 && kind === 'node.delete') return operationEnded(id, 'SUCCEEDED');
    return operationEnded(id, 'FAILED', { code: 'cluster-failed', detail });
  };
  return state.operations.map(end);
}

/** Returns the end of an operation. A cancelled one shows how far it came. */
function endOf(state: NodeGroupState, operation: GroupOperation): Events[number] {
  const { id, cancelled } = operation;
  if (!cancelled) return operationEnded(id, 'SUCCEEDED');
  const detail = progressDetail(state, operation);
  return operationEnded(id, 'CANCELLED', detail === '' ? undefined : { code: 'cancelled', detail });
}

/** Returns the status events of a group that needs no further change of its nodes, with the operations that end. */
export function statusEvents(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, clusterId, leaving, input } = facts;
  const ready = counted.every(m => input.nodes(m.id)?.ready);
  const rolling = isRolling(facts, counted);
  const lags = counted.some(m => updateFailure(facts, m) !== undefined);
  if (ready && leaving.length === 0 && !rolling && !lags) {
    const active: Events = state.status === 'ACTIVE' ? [] : [{ type: 'NodeGroupBecameActive', data: { clusterId } }];
    return [...active, ...state.operations.map(o => endOf(state, o))];
  }
  const stuck = failedRemovals(facts).length;
  const reason = failureReason(facts, counted);
  if (reason !== undefined) {
    if (counted.some(m => input.nodes(m.id)?.failed)) return degradedEvents(facts, reason, { code: 'nodes-failed' });
    const code = stuck > 0 ? 'removal-failed' : 'update-failed';
    const over = ready && stuck === leaving.length && (stuck > 0 || !rolling);
    const reported = degradedEvents(facts, reason, over ? { code } : undefined);
    if (reported.length > 0) return reported;
  }
  if (input.blocked !== undefined && stuck === leaving.length) return blockedEvents(facts, input.blocked);
  const lost = !ready && state.status === 'ACTIVE' && leaving.length === 0;
  return lost ? degradedEvents(facts, 'a node is not ready') : [];
}
