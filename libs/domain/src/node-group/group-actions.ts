import type { ClusterRollout } from '../cluster/cluster-state.js';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { OperationStart } from '../kernel/operation.js';
import { conflict, type Refusal } from '../kernel/refusal.js';
import { nodesLeft } from './group-operations.js';
import { isStepping } from './group-takeover.js';
import { countedMembers, outdatedMembers } from './group-membership.js';
import { nodesBusy, unusableGroup } from './group-refusals.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupState, TurnKind } from './node-group-state.js';

type Begin = Omit<OperationStart, 'total'>;

const whole = ({ id, kind }: Begin, state: NodeGroupState): OperationStart => ({
  id,
  kind,
  total: countedMembers(state).length,
});

const steppable = (state: NodeGroupState, ifMatch?: number): Refusal | undefined =>
  unusableGroup(state, ifMatch) ?? nodesBusy(state);

/** All nodes that are there now are built anew in place, id and ordinal kept. Refused with `busy` while another round or replacement goes on. */
export function rebuildNodeGroup(state: NodeGroupState, operation: Begin, ifMatch?: number): Decision<NodeGroupEvent> {
  const refusal = steppable(state, ifMatch);
  if (refusal) return refuse(refusal);
  return accept({
    type: 'NodeGroupRebuildRequested',
    data: { operationId: operation.id, operation: whole(operation, state) },
  });
}

/** All nodes that are there now are restarted. Refused as `rebuildNodeGroup`. */
export function rebootNodeGroup(
  state: NodeGroupState,
  operation: Begin,
  type: 'soft' | 'hard',
  ifMatch?: number,
): Decision<NodeGroupEvent> {
  const refusal = steppable(state, ifMatch);
  if (refusal) return refuse(refusal);
  return accept({
    type: 'NodeGroupRebootRequested',
    data: { operationId: operation.id, operation: whole(operation, state), type },
  });
}

/**
 * The same for an operation of its cluster, which `groupRollout` tells how far it is. Nothing where it was asked for already, or is not
 * possible now: the cluster asks again.
 */
export function rollForCluster(
  state: NodeGroupState,
  { operationId, planned }: Pick<ClusterRollout, 'operationId' | 'planned'>,
  kind: TurnKind,
): Decision<NodeGroupEvent> {
  if (state.sweep?.id === operationId || steppable(state)) return accept();
  const data = { operationId, ...(planned ? { planned } : {}) };
  if (kind === 'rebuild') return accept({ type: 'NodeGroupRebuildRequested', data });
  const type = kind === 'softReboot' ? 'soft' : 'hard';
  return accept({ type: 'NodeGroupRebootRequested', data: { ...data, type } });
}

/** Its cluster's operation was called off: the round stops after the step under way. Nothing where it has none for it. */
export function stopForCluster({ sweep }: NodeGroupState, operationId: string): Decision<NodeGroupEvent> {
  if (sweep?.id !== operationId || sweep.status !== 'under-way') return accept();
  return accept({ type: 'OperationCancelRequested', data: { operationId } });
}

/** What was given up or called off goes on, as an operation of its own. Refused with `nothing-to-retry`. */
export function retryNodeGroup(state: NodeGroupState, operation: Begin, ifMatch?: number): Decision<NodeGroupEvent> {
  const refusal = unusableGroup(state, ifMatch);
  if (refusal) return refuse(refusal);
  const left = nodesLeft(state);
  const waits =
    state.gaveUp ||
    (left > 0 && (state.rolloutHalted || state.sweep?.status === 'failed' || state.sweep?.status === 'cancelled'));
  if (!waits || isStepping(state))
    return refuse(conflict('nothing-to-retry', 'the node group has nothing that was given up or called off'));
  return accept({
    type: 'NodeGroupRetryRequested',
    data: { operation: { ...operation, total: Math.max(1, left + outdatedMembers(state).length) } },
  });
}
