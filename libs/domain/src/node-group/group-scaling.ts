import { instantMs } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import { endOperation, type OperationEnded } from '../kernel/operation.js';
import { directionOf, type ScalingDirection } from '../scaling/scaling-arithmetic.js';
import type { ProposalCause } from './node-group-events.js';
import type { NodeGroupState } from './node-group-state.js';

/** Remembers that a proposal was answered. */
export const withAnswer = (state: NodeGroupState, cause: ProposalCause | undefined): NodeGroupState =>
  cause ? { ...state, answered: Math.max(state.answered ?? -1, cause.sequence) } : state;

/** Remembers that the count changed at that time: that it grew, and that it was a user who changed it. */
export function withScaled(state: NodeGroupState, count: number, time: string, isByUser: boolean): NodeGroupState {
  const grows = count > state.spec.count;
  if (!grows && !isByUser) return state;
  return { ...state, ...(grows ? { grewAt: time } : {}), ...(isByUser ? { resizedAt: time } : {}) };
}

export const withCapacityLacking = (state: NodeGroupState, since: string): NodeGroupState => ({
  ...state,
  lacksCapacity: { times: (state.lacksCapacity?.times ?? 0) + 1, since },
});

/** A group that has grown completely since it lacked capacity counts from zero again. */
export function withCapacityFound(state: NodeGroupState): NodeGroupState {
  const { lacksCapacity, ...rest } = state;
  const { grewAt } = state;
  const hasGrown = lacksCapacity && grewAt !== undefined && instantMs(grewAt) > instantMs(lacksCapacity.since);
  return hasGrown ? rest : state;
}

/** What an operation that changes the count is remembered with. */
export function countChange(from: number, to: number): { countBefore: number; direction?: ScalingDirection } {
  return { countBefore: from, ...omitUndefined({ direction: directionOf(from, to) }) };
}

/** Ends the operation. A change of the count that succeeded starts the cooldown of its direction. */
export function withEnd(state: NodeGroupState, event: OperationEnded, time: string): NodeGroupState {
  const { direction } = state.operations.find(o => o.id === event.data.operationId) ?? {};
  const next = endOperation(state, event);
  if (direction === undefined || event.data.status !== 'SUCCEEDED') return next;
  return { ...next, scaledAt: { ...state.scaledAt, [direction]: time } };
}
