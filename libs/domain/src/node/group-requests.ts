import { isDeepStrictEqual } from 'node:util';
import { accept, type Decision } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { endOf } from '../kernel/operation.js';
import type { NodeRolloutKind } from '../node-group/node-group-state.js';
import type { NodeEvent, NodeMetadata } from './node-events.js';
import type { NodeState } from './node-state.js';

const isFree = ({ deleted, removing, operation, rebuilding, work }: NodeState): boolean =>
  !deleted && !removing && !operation && !rebuilding && !work.wanted && !work.claim;

/** Returns whether the driver has not applied this change in place yet. A node that is not built yet gets it afterwards. */
export const hasOutdatedMetadata = (
  { declared, wasActive, removing, deleted }: NodeState,
  metadataGeneration: number,
): boolean => wasActive && !removing && !deleted && (declared.metadataGeneration ?? 0) !== metadataGeneration;

/** Returns whether an update may be requested now; one that failed is repeated only for another operation. */
export const acceptsMetadataUpdate = (state: NodeState, metadataGeneration: number, operationId: string): boolean =>
  hasOutdatedMetadata(state, metadataGeneration) &&
  state.status !== 'FAILED' &&
  state.status !== 'UNREACHABLE' &&
  !state.rebuilding &&
  !state.work.wanted &&
  !state.work.claim &&
  state.metadataUpdateFailure?.operationId !== operationId;

/** Requests an update to these labels, taints and options. No event follows while other work runs; the group repeats the request. */
export function updateNodeMetadata(
  state: NodeState,
  { metadataGeneration, labels, taints, options }: NodeMetadata,
  operationId: string,
): Decision<NodeEvent> {
  if (!acceptsMetadataUpdate(state, metadataGeneration, operationId)) return accept();
  const changed = isDeepStrictEqual(options, state.declared.spec.options) ? undefined : options;
  const data = { metadataGeneration, labels, taints, operationId, ...omitUndefined({ options: changed }) };
  return accept({ type: 'NodeUpdateRequested', data });
}

/** Returns whether the node is built and can take part in the rollout now. */
export const acceptsRollout = (state: NodeState, rolloutId: string): boolean =>
  isFree(state) && state.wasActive && state.status === 'ACTIVE' && state.rollout?.id !== rolloutId;

/** Rebuilds or reboots the node for the rollout. No event follows while other work runs; the group repeats the request. */
export function requestNodeRollout(
  state: NodeState,
  request: { readonly rolloutId: string; readonly kind: NodeRolloutKind; readonly operationId: string },
): Decision<NodeEvent> {
  return acceptsRollout(state, request.rolloutId) ? accept({ type: 'NodeRolloutRequested', data: request }) : accept();
}

/** Returns whether the node is as the health policy of its group found it, and nothing else is done with it. */
export const acceptsNodeRepair = (state: NodeState, generation: number): boolean =>
  !state.deleted &&
  !state.removing &&
  !state.rebuilding &&
  !state.suspectedLoss &&
  state.generation === generation &&
  !state.work.claim &&
  (!state.work.wanted || state.work.wanted.retriesExhausted === true);

/** Reboots or rebuilds the node for the health policy of its group. A repeated request has no effect. */
export function repairNode(
  state: NodeState,
  request: { readonly do: 'reboot' | 'rebuild'; readonly generation: number; readonly operationId: string },
): Decision<NodeEvent> {
  const { do: action, generation, operationId } = request;
  if (!acceptsNodeRepair(state, generation)) return accept();
  return accept({ type: 'NodeRepairRequested', data: { do: action, operationId, reason: 'it is not healthy' } });
}

/** Returns whether the removal failed at least once and no conductor works on it now. */
export const isAbandonable = ({ removing, deleted, work }: NodeState): boolean =>
  removing && !deleted && !work.claim && (work.wanted?.retriesExhausted === true || (work.wanted?.failures ?? 0) > 0);

/** Deletes a node whose removal failed, at the explicit request of its group. The event names what may be left. */
export function abandonNode(state: NodeState): Decision<NodeEvent> {
  const { declared, operation, result, work } = state;
  if (!isAbandonable(state)) return accept();
  const reason = work.wanted?.lastError?.message ?? 'it could not be removed';
  const abandoned = { reason, ...omitUndefined({ infrastructureId: result?.infrastructureId }) };
  const own = operation?.kind === 'node.retry' ? operation : undefined;
  return accept<NodeEvent>(
    { type: 'NodeDeleted', data: { nodeGroupId: declared.nodeGroupId, abandoned } },
    ...endOf(own, 'FAILED', { code: 'abandoned', detail: reason }),
  );
}
