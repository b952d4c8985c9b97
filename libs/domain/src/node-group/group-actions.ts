import type { ClusterRollout } from '../cluster/cluster-state.js';
import { hasCondition } from '../kernel/condition.js';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { Conditional, OperationStart } from '../kernel/operation.js';
import { conflict, type Refusal } from '../kernel/refusal.js';
import { countedMembers, outdatedMembers } from './group-membership.js';
import { countRemainingNodes } from './group-operations.js';
import { nodeGroupRefusal, nodesBusyRefusal } from './group-refusals.js';
import { isRollingOut } from './rollout-supersession.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupState, NodeRolloutKind } from './node-group-state.js';

type Begin = Omit<OperationStart, 'total'>;

interface BeginCommand extends Conditional {
  readonly operation: Begin;
}

const complete = ({ id, kind }: Begin, state: NodeGroupState): OperationStart => ({
  id,
  kind,
  total: countedMembers(state).length,
});

const rolloutRefusal = (state: NodeGroupState, ifMatch?: number): Refusal | undefined =>
  nodeGroupRefusal(state, ifMatch) ?? nodesBusyRefusal(state);

/** Rebuilds all existing nodes in place; they keep id and ordinal. Refused with `busy` during another rollout or replacement. */
export function rebuildNodeGroup(
  state: NodeGroupState,
  { operation, ifMatch }: BeginCommand,
): Decision<NodeGroupEvent> {
  const refusal = rolloutRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  return accept({
    type: 'NodeGroupRebuildRequested',
    data: { operationId: operation.id, operation: complete(operation, state) },
  });
}

/** Reboots all existing nodes. Refused like {@link rebuildNodeGroup}. */
export function rebootNodeGroup(
  state: NodeGroupState,
  { operation, type, ifMatch }: BeginCommand & { readonly type: 'soft' | 'hard' },
): Decision<NodeGroupEvent> {
  const refusal = rolloutRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  return accept({
    type: 'NodeGroupRebootRequested',
    data: { operationId: operation.id, operation: complete(operation, state), type },
  });
}

/**
 * Starts a rollout for an operation of the cluster, which follows its progress with `groupRolloutProgress`. No event follows when it was
 * started already or is not possible now; the cluster repeats the request.
 */
export function startClusterRollout(
  state: NodeGroupState,
  { operationId, planned }: Pick<ClusterRollout, 'operationId' | 'planned'>,
  kind: NodeRolloutKind,
): Decision<NodeGroupEvent> {
  if (state.rollout?.id === operationId || rolloutRefusal(state)) return accept();
  const data = { operationId, ...(planned ? { planned } : {}) };
  if (kind === 'rebuild') return accept({ type: 'NodeGroupRebuildRequested', data });
  const type = kind === 'softReboot' ? 'soft' : 'hard';
  return accept({ type: 'NodeGroupRebootRequested', data: { ...data, type } });
}

/** Stops the rollout of a cancelled cluster operation after the step under way. No event follows when the group runs none for it. */
export function cancelClusterRollout({ rollout }: NodeGroupState, operationId: string): Decision<NodeGroupEvent> {
  if (rollout?.id !== operationId || rollout.status !== 'in-progress') return accept();
  return accept({ type: 'OperationCancelRequested', data: { operationId } });
}

/** Resumes, as a new operation, what failed permanently or was cancelled. Refused with `nothing-to-retry` when there is nothing. */
export function retryNodeGroup(state: NodeGroupState, { operation, ifMatch }: BeginCommand): Decision<NodeGroupEvent> {
  const refusal = nodeGroupRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  const left = countRemainingNodes(state);
  const waits =
    hasCondition(state, 'Failed') ||
    (left > 0 &&
      (hasCondition(state, 'RolloutHalted') ||
        state.rollout?.status === 'failed' ||
        state.rollout?.status === 'cancelled'));
  if (!waits || isRollingOut(state))
    return refuse(conflict('nothing-to-retry', 'the node group has nothing that failed or was cancelled'));
  return accept({
    type: 'NodeGroupRetryRequested',
    data: { operation: { ...operation, total: Math.max(1, left + outdatedMembers(state).length) } },
  });
}
