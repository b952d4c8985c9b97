import { hasCondition } from '../kernel/condition.js';
import { operationEnded, type PlannedOperation } from '../kernel/operation.js';
import { failureReason, progressDetail, type Events, type GroupFacts } from './group-facts.js';
import type { GroupOperation, Member, NodeGroupState } from './node-group-state.js';

/** Returns the plans that are being executed. */
const plansOf = ({ operations, planned }: NodeGroupState): readonly PlannedOperation[] => [
  ...operations.flatMap(o => o.planned ?? []),
  ...(planned ? [planned] : []),
];

/**
 * Stops the group when a node failed during the execution of a plan that does not replace it. Returns no events while everything goes
 * as planned.
 */
export function deviation(facts: GroupFacts, counted: readonly Member[]): Events {
  const { state, clusterId, input } = facts;
  if (hasCondition(state, 'PlanDeviated')) return [];
  const plans = plansOf(state);
  const deviates = ({ id }: Member): boolean => {
    const { failed } = input.nodes(id) ?? {};
    return failed !== undefined && (failed.planned ?? (plans.length > 0 && !plans.some(p => p.failed.includes(id))));
  };
  const reason = counted.some(deviates) ? failureReason(facts, counted) : undefined;
  if (reason === undefined) return [];
  const detailOf = (operation: GroupOperation): string =>
    [reason, 'what would follow was not planned', progressDetail(state, operation)]
      .filter(part => part !== '')
      .join('; ');
  return [
    { type: 'NodeGroupDegraded', data: { clusterId, reason, failed: true, planDeviated: true } },
    ...state.operations.map(o => operationEnded(o.id, 'FAILED', { code: 'plan-deviated', detail: detailOf(o) })),
  ];
}
