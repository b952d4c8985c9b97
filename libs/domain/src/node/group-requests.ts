import { accept, refuse, type Decision } from '../kernel/decider.js';
import { operationEnded } from '../kernel/operation.js';
import { notFound } from '../kernel/refusal.js';
import type { NodeRolloutKind } from '../node-group/node-group-state.js';
import type { NodeEvent, NodeMetadata } from './node-events.js';
import type { NodeState } from './node-state.js';

/** Nothing continues here that must result in its end first. */
const isFree = ({ declared, deleted, removing, operation, rebuilding, work }: NodeState): boolean =>
  declared !== undefined && !deleted && !removing && !operation && !rebuilding && !work.wanted && !work.claim;

/** Whether its driver has still to learn of this change of labels and taints. Of a node that does not stand yet it learns afterwards. */
export const hasOutdatedMetadata = (
  { declared, wasActive, removing, deleted }: NodeState,
  metadataGeneration: number,
): boolean => wasActive && !removing && !deleted && (declared?.metadataGeneration ?? 0) !== metadataGeneration;

/** It can be asked now, and was not asked in vain for the same operation. */
export const acceptsMetadataUpdate = (state: NodeState, metadataGeneration: number, operationId: string): boolean =>
  hasOutdatedMetadata(state, metadataGeneration) &&
  state.status !== 'FAILED' &&
  state.status !== 'UNREACHABLE' &&
  !state.rebuilding &&
  !state.work.wanted &&
  !state.work.claim &&
  state.metadataUpdateFailure?.operationId !== operationId;

/** Its group has these labels and taints. Nothing, while something else continues here: the group asks again. */
export function updateNodeMetadata(
  state: NodeState,
  { metadataGeneration, labels, taints }: NodeMetadata,
  operationId: string,
): Decision<NodeEvent> {
  if (!acceptsMetadataUpdate(state, metadataGeneration, operationId)) return accept();
  return accept({ type: 'NodeUpdateRequested', data: { metadataGeneration, labels, taints, operationId } });
}

/** It exists and can take this turn now. */
export const acceptsRollout = (state: NodeState, rolloutId: string): boolean =>
  isFree(state) && state.wasActive && state.status === 'ACTIVE' && state.rollout?.id !== rolloutId;

/** It is its turn to be rebuilt or restarted. Nothing, while something else continues here: the group asks again. */
export function requestNodeRollout(
  state: NodeState,
  request: { readonly rolloutId: string; readonly kind: NodeRolloutKind; readonly operationId: string },
): Decision<NodeEvent> {
  return acceptsRollout(state, request.rolloutId) ? accept({ type: 'NodeRolloutRequested', data: request }) : accept();
}

/** Its removal has failed at least once and nobody is at it now. */
export const isAbandonable = ({ removing, deleted, work }: NodeState): boolean =>
  removing && !deleted && !work.claim && (work.wanted?.retriesExhausted === true || (work.wanted?.failures ?? 0) > 0);

/** Its group stops retrying explicitly what could not be removed: it is deleted, and says what may be left. */
export function abandonNode(state: NodeState): Decision<NodeEvent> {
  const { declared, operation, result, work } = state;
  if (!declared) return refuse(notFound('the node'));
  if (!isAbandonable(state)) return accept();
  const reason = work.wanted?.lastError?.message ?? 'it could not be removed';
  const own = operation?.kind === 'node.retry' ? operation : undefined;
  const { infrastructureId } = result ?? {};
  const abandoned = { reason, ...(infrastructureId === undefined ? {} : { infrastructureId }) };
  return accept<NodeEvent>(
    { type: 'NodeDeleted', data: { nodeGroupId: declared.nodeGroupId, abandoned } },
    ...(own ? [operationEnded(own.id, 'FAILED', { code: 'abandoned', detail: reason })] : []),
  );
}
