import { withCondition, withoutConditions } from '../kernel/condition.js';
import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';
import { withLeaving, withMembers, withRolloutBatch, withoutMembers } from './group-membership.js';
import {
  withCancellation,
  withCount,
  withOperation,
  withRetry,
  withRollout,
  withRolloutHalted,
  withRolloutStatus,
  withUpdate,
} from './group-operations.js';
import { withBuild } from './node-group-changes.js';
import type { NodeGroupDegraded, NodeGroupEvent } from './node-group-events.js';
import {
  ROLLING_REPLACEMENT,
  initialNodeGroup,
  type NodeGroupCondition,
  type NodeGroupState,
} from './node-group-state.js';

function changed(state: NodeGroupState): NodeGroupState {
  return {
    ...state,
    revision: state.revision + 1,
    conditions: withoutConditions(state.conditions, 'Failed', 'PlanDeviated'),
    replaced: 0,
    status: state.deleting ? 'DELETING' : 'UPDATING',
  };
}

function degraded(
  state: NodeGroupState,
  { reason: message, failed, planDeviated }: NodeGroupDegraded['data'],
): NodeGroupState {
  const isTrue = { status: 'True', message } as const;
  const found: readonly NodeGroupCondition[] = [
    { type: 'Degraded', reason: 'NodesDegraded', ...isTrue },
    ...(failed
      ? [{ type: 'Failed', reason: planDeviated ? 'PlanDeviated' : 'RetriesExhausted', ...isTrue } as const]
      : []),
    ...(planDeviated ? [{ type: 'PlanDeviated', reason: 'UnplannedFailure', ...isTrue } as const] : []),
  ];
  const conditions = found.reduce(withCondition, withoutConditions(state.conditions, 'Failed'));
  const next: NodeGroupState = { ...state, status: state.deleting ? 'DELETING' : 'DEGRADED', conditions };
  return failed ? withRolloutHalted(next, 'failed') : next;
}

function evolveNodeGroup(state: NodeGroupState, event: NodeGroupEvent, time: string): NodeGroupState {
  const s: NodeGroupState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'NodeGroupCreated': {
      // where the values came from is history
      const { origins: _origins, ...declared } = event.data;
      const { spec, operation, operationId, planned } = declared;
      return {
        ...withOperation(s, operation),
        declared,
        spec,
        builds: withBuild([], spec),
        revision: 1,
        ...(planned ? { planned } : {}),
        lastOperationId: operationId,
        createdAt: time,
      };
    }
    case 'NodesAdded': {
      const { nodes, operationId, reason } = event.data;
      const replacing = reason === ROLLING_REPLACEMENT ? 0 : nodes.filter(n => n.replaces !== undefined).length;
      return { ...withMembers(s, nodes, operationId, reason), replaced: s.replaced + replacing };
    }
    case 'NodeRemovalAccepted': {
      const { count, minCount, operation } = event.data;
      const leaving = withLeaving(s, event.data);
      const spec = s.spec ? { ...s.spec, count, ...(minCount === undefined ? {} : { minCount }) } : s.spec;
      const next = { ...leaving, ...(spec ? { spec } : {}) };
      return operation ? withOperation(changed(next), operation) : next;
    }
    case 'NodeReplacementAccepted': {
      const { nodeId, successor, operation } = event.data;
      const added = withMembers(s, [successor], operation.id, 'replacement');
      return withOperation(changed(added), { ...operation, nodeId });
    }
    case 'NodeGroupResized': {
      const countBefore = s.spec ? { countBefore: s.spec.count } : {};
      return withOperation(changed(withCount(s, event.data.count)), { ...event.data.operation, ...countBefore });
    }
    case 'NodeGroupUpdated':
      return withUpdate(s, event.data, changed);
    case 'NodeGroupRebuildRequested':
      return withRollout(changed(s), event.data, 'rebuild');
    case 'NodeGroupRebootRequested':
      return withRollout(changed(s), event.data, event.data.type === 'soft' ? 'softReboot' : 'hardReboot');
    case 'NodeGroupRetryRequested':
      return withRetry(changed(s), event.data.operation);
    case 'RolloutBatchAccepted':
      return withRolloutBatch(s, event.data.nodeIds);
    case 'NodesRemoved': {
      const { nodeIds, abandoned = [] } = event.data;
      return { ...withoutMembers(s, nodeIds), abandoned: [...s.abandoned, ...abandoned] };
    }
    case 'NodeGroupBecameActive': {
      const { planned: _done, ...rest } = s;
      const conditions = withoutConditions(s.conditions, 'Degraded', 'Failed', 'PlanDeviated');
      return { ...withRolloutStatus(rest, 'completed'), status: 'ACTIVE', conditions, replaced: 0 };
    }
    case 'NodeGroupDegraded':
      return degraded(s, event.data);
    case 'NodeGroupDeletionRequested': {
      const { operation, operationId, force } = event.data;
      return {
        ...withOperation({ ...s, revision: s.revision + 1 }, operation),
        deleting: true,
        ...(force ? { forced: true } : {}),
        conditions: withoutConditions(s.conditions, 'Degraded', 'Failed'),
        status: 'DELETING',
        lastOperationId: operationId,
      };
    }
    case 'NodeGroupDeleted':
      return { ...s, deleted: true, members: new Map() };
    case 'OperationEnded':
      return { ...s, operations: s.operations.filter(o => o.id !== event.data.operationId) };
    case 'OperationCancelRequested':
      return withCancellation(s, event.data.operationId);
    default:
      return ignoreUnknownEvent(state, event);
  }
}

export const nodeGroupStream: StreamDefinition<NodeGroupState, NodeGroupEvent> = {
  category: 'nodeGroup',
  initial: initialNodeGroup,
  evolve: evolveNodeGroup,
};
