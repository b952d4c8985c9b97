import { operationEnded, type PlannedOperation } from '../kernel/operation.js';
import { failureReason, howFar, type Events, type Facts } from './group-facts.js';
import type { GroupOperation, Member, NodeGroupState } from './node-group-state.js';

/** Plans that are being carried out. */
const plansOf = ({ operations, planned }: NodeGroupState): readonly PlannedOperation[] => [
  ...operations.flatMap(o => o.planned ?? []),
  ...(planned ? [planned] : []),
];

/**
 * A node has failed that no plan replaces, while one is carried out: that stops before anything else is done. Nothing where all goes as it
 * was planned.
 */
export function deviation(facts: Facts, counted: readonly Member[]): Events {
  const { state, clusterId, input } = facts;
  const plans = plansOf(state);
  if (plans.length === 0 || state.held) return [];
  const isPlanned = (id: string): boolean => plans.some(({ failed }) => failed.includes(id));
  const reason = failureReason(facts, counted);
  if (reason === undefined || !counted.some(({ id }) => input.nodes(id)?.failed && !isPlanned(id))) return [];
  const detailOf = (operation: GroupOperation): string =>
    [reason, 'what would follow was not planned', howFar(state, operation)].filter(part => part !== '').join('; ');
  return [
    { type: 'NodeGroupDegraded', data: { clusterId, reason, gaveUp: true, held: true } },
    ...state.operations.map(o => operationEnded(o.id, 'FAILED', { code: 'plan-deviated', detail: detailOf(o) })),
  ];
}
