import type { ClusterRollout } from '../cluster/cluster-state.js';
import { hasCondition } from '../kernel/condition.js';
import { accept, acceptUnless, changeRefusal, conflict, type Decision, type Refusal } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import type { Conditional, OperationStart } from '../kernel/operation.js';
import { countedMembers, outdatedMembers } from './group-membership.js';
import { countRemainingNodes, isRollingOut } from './group-operations.js';
import { nodesBusyRefusal } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupState, NodeRolloutKind } from './node-group-state.js';

type Result = Decision<NodeGroupEvent>;

interface BeginCommand extends Conditional {
  readonly operation: Omit<OperationStart, 'total'>;
}

const rolloutRefusal = (state: NodeGroupState, ifMatch?: number): Refusal | undefined =>
  changeRefusal('the node group', state, ifMatch) ?? nodesBusyRefusal(state);

/** Returns the operation of a rollout, which has a task for each node that counts. */
const rolloutOperation = (state: NodeGroupState, { id, kind, discardVolumes }: BeginCommand['operation']) => ({
  operationId: id,
  operation: { id, kind, total: countedMembers(state).length },
  ...omitUndefined({ discardVolumes }),
});

/** Rebuilds all existing nodes in place; they keep id and ordinal. Refused with `busy` during another rollout or replacement. */
export const rebuildNodeGroup = (state: NodeGroupState, { operation, ifMatch }: BeginCommand): Result =>
  acceptUnless(rolloutRefusal(state, ifMatch), {
    type: 'NodeGroupRebuildRequested',
    data: rolloutOperation(state, operation),
  });

/** Reboots all existing nodes. Refused like {@link rebuildNodeGroup}. */
export const rebootNodeGroup = (
  state: NodeGroupState,
  { operation, type, ifMatch }: BeginCommand & { readonly type: 'soft' | 'hard' },
): Result =>
  acceptUnless(rolloutRefusal(state, ifMatch), {
    type: 'NodeGroupRebootRequested',
    data: { ...rolloutOperation(state, operation), type },
  });

/**
 * Starts a rollout for an operation of the cluster, which follows its progress with `groupRolloutProgress`. No event follows when it was
 * started already or is not possible now; the cluster repeats the request.
 */
export function startClusterRollout(
  state: NodeGroupState,
  { operationId, planned, discardVolumes }: Pick<ClusterRollout, 'operationId' | 'planned' | 'discardVolumes'>,
  kind: NodeRolloutKind,
): Result {
  if (state.rollout?.id === operationId || rolloutRefusal(state)) return accept();
  const data = { operationId, ...(planned ? { planned } : {}) };
  if (kind === 'rebuild')
    return accept({ type: 'NodeGroupRebuildRequested', data: { ...data, ...omitUndefined({ discardVolumes }) } });
  return accept({ type: 'NodeGroupRebootRequested', data: { ...data, type: kind === 'softReboot' ? 'soft' : 'hard' } });
}

/** Stops the rollout of a cancelled cluster operation after the step under way. No event follows when the group runs none for it. */
export function cancelClusterRollout({ rollout }: NodeGroupState, operationId: string): Result {
  if (rollout?.id !== operationId || rollout.status !== 'in-progress') return accept();
  return accept({ type: 'OperationCancelRequested', data: { operationId } });
}

/** Resumes, as a new operation, what failed permanently or was cancelled. Refused with `nothing-to-retry` when there is nothing. */
export function retryNodeGroup(state: NodeGroupState, { operation, ifMatch }: BeginCommand): Result {
  const left = countRemainingNodes(state);
  const { status } = state.rollout ?? {};
  const isHalted = hasCondition(state, 'RolloutHalted') || status === 'failed' || status === 'cancelled';
  const waits = !isRollingOut(state) && (hasCondition(state, 'Failed') || (left > 0 && isHalted));
  const nothing = conflict('nothing-to-retry', 'the node group has nothing that failed or was cancelled');
  const total = Math.max(1, left + outdatedMembers(state).length);
  return acceptUnless(changeRefusal('the node group', state, ifMatch) ?? (waits ? undefined : nothing), {
    type: 'NodeGroupRetryRequested',
    data: { operation: { ...operation, total } },
  });
}
