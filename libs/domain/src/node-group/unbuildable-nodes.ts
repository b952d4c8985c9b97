import { failedOperations, failureReason, replacementsLeft, type Events, type GroupFacts } from './group-facts.js';
import { keepsData } from './retained-data.js';

/**
 * Removes nodes that could not be built for lack of capacity in a group that the autoscaler grows, down to its minimum: other groups may get
 * them, and this one rests. With several zones another one is tried first, as often as failed nodes are replaced.
 */
export function unbuildableNodeEvents(facts: GroupFacts): Events {
  const { state, spec, input, counted } = facts;
  if (!spec.autoscaling?.enabled) return [];
  const failed = counted.filter(m => input.nodes(m.id)?.failed?.class === 'capacity' && !keepsData(facts, m));
  const above = spec.count - spec.minCount;
  if (failed.length === 0 || above <= 0) return [];
  if (spec.zones.length > 1 && replacementsLeft(facts) > 0) return [];
  const nodeIds = failed.slice(0, above).map(m => m.id);
  const by = { reason: 'no capacity', operationId: state.lastOperationId, lacksCapacity: true as const };
  return [
    { type: 'NodeRemovalAccepted', data: { nodeIds, count: spec.count - nodeIds.length, ...by } },
    ...failedOperations(state, 'no-capacity', failureReason(facts) ?? 'nodes could not be built'),
  ];
}
