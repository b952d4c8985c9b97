import { ignoreUnknownEvent, type StreamDefinition } from '../kernel/stream-definition.js';
import { withLeaving, withMembers, withTurns, withoutMembers } from './group-membership.js';
import { cancelled, halted, retried, started, swept, updated, withCount, withSweep } from './group-operations.js';
import { withBuild } from './node-group-changes.js';
import type { NodeGroupEvent } from './node-group-events.js';
import { ROLLED, initialNodeGroup, type NodeGroupState } from './node-group-state.js';

function changed(state: NodeGroupState): NodeGroupState {
  return {
    ...state,
    revision: state.revision + 1,
    gaveUp: false,
    held: false,
    replaced: 0,
    status: state.deleting ? 'DELETING' : 'UPDATING',
  };
}

function evolveNodeGroup(state: NodeGroupState, event: NodeGroupEvent, time: string): NodeGroupState {
  const s: NodeGroupState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'NodeGroupCreated': {
      // where the values came from is history
      const { origins: _origins, ...declared } = event.data;
      const { spec, operation, operationId, planned } = declared;
      return {
        ...started(s, operation),
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
      const replacing = reason === ROLLED ? 0 : nodes.filter(n => n.replaces !== undefined).length;
      return { ...withMembers(s, nodes, operationId, reason), replaced: s.replaced + replacing };
    }
    case 'NodeRemovalAccepted': {
      const { count, minCount, operation } = event.data;
      const leaving = withLeaving(s, event.data);
      const spec = s.spec ? { ...s.spec, count, ...(minCount === undefined ? {} : { minCount }) } : s.spec;
      const next = { ...leaving, ...(spec ? { spec } : {}) };
      return operation ? started(changed(next), operation) : next;
    }
    case 'NodeReplacementAccepted': {
      const { nodeId, successor, operation } = event.data;
      const added = withMembers(s, [successor], operation.id, 'replacement');
      return started(changed(added), { ...operation, nodeId });
    }
    case 'NodeGroupResized': {
      const countBefore = s.spec ? { countBefore: s.spec.count } : {};
      return started(changed(withCount(s, event.data.count)), { ...event.data.operation, ...countBefore });
    }
    case 'NodeGroupUpdated':
      return updated(s, event.data, changed);
    case 'NodeGroupRebuildRequested':
      return swept(changed(s), event.data, 'rebuild');
    case 'NodeGroupRebootRequested':
      return swept(changed(s), event.data, event.data.type === 'soft' ? 'softReboot' : 'hardReboot');
    case 'NodeGroupRetryRequested':
      return retried(changed(s), event.data.operation);
    case 'RolloutBatchAccepted':
      return withTurns(s, event.data.nodeIds);
    case 'NodesRemoved': {
      const { nodeIds, abandoned = [] } = event.data;
      return { ...withoutMembers(s, nodeIds), abandoned: [...s.abandoned, ...abandoned] };
    }
    case 'NodeGroupBecameActive': {
      const { statusReason: _reason, planned: _done, ...rest } = s;
      return { ...withSweep(rest, 'done'), status: 'ACTIVE', gaveUp: false, held: false, replaced: 0 };
    }
    case 'NodeGroupDegraded': {
      const { reason, gaveUp, held = s.held } = event.data;
      const status = s.deleting ? 'DELETING' : 'DEGRADED';
      const told: NodeGroupState = { ...s, status, statusReason: reason, gaveUp, held };
      return gaveUp ? halted(told, 'failed') : told;
    }
    case 'NodeGroupDeletionRequested': {
      const { statusReason: _reason, ...rest } = s;
      const { operation, operationId, force } = event.data;
      return {
        ...started({ ...rest, revision: s.revision + 1 }, operation),
        deleting: true,
        ...(force ? { forced: true } : {}),
        gaveUp: false,
        status: 'DELETING',
        lastOperationId: operationId,
      };
    }
    case 'NodeGroupDeleted':
      return { ...s, deleted: true, members: new Map() };
    case 'OperationEnded':
      return { ...s, operations: s.operations.filter(o => o.id !== event.data.operationId) };
    case 'OperationCancelRequested':
      return cancelled(s, event.data.operationId);
    default:
      return ignoreUnknownEvent(state, event);
  }
}

export const nodeGroupStream: StreamDefinition<NodeGroupState, NodeGroupEvent> = {
  category: 'nodeGroup',
  initial: initialNodeGroup,
  evolve: evolveNodeGroup,
};
