import { withCondition, withoutConditions } from '../kernel/condition.js';
import { evolveByType, type EventHandlers } from '../kernel/event-handlers.js';
import { omitUndefined } from '../kernel/omit-undefined.js';
import { endOperation } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
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

type Handlers = EventHandlers<NodeGroupState, NodeGroupEvent>;

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

const memberHandlers = {
  NodesAdded: (s, { data: { nodes, operationId, reason } }) => {
    const replacing = reason === ROLLING_REPLACEMENT ? 0 : nodes.filter(n => n.replaces !== undefined).length;
    return { ...withMembers(s, nodes, operationId, reason), replaced: s.replaced + replacing };
  },
  NodeRemovalAccepted: (s, { data }) => {
    const { count, minCount, operation } = data;
    const spec = s.spec && { ...s.spec, count, ...omitUndefined({ minCount }) };
    const next: NodeGroupState = { ...withLeaving(s, data), ...omitUndefined({ spec }) };
    return operation ? withOperation(changed(next), operation) : next;
  },
  NodeReplacementAccepted: (s, { data: { nodeId, successor, operation } }) => {
    const added = withMembers(s, [successor], operation.id, 'replacement');
    return withOperation(changed(added), { ...operation, nodeId });
  },
  RolloutBatchAccepted: (s, { data }) => withRolloutBatch(s, data.nodeIds),
  NodesRemoved: (s, { data: { nodeIds, abandoned = [] } }) => ({
    ...withoutMembers(s, nodeIds),
    abandoned: [...s.abandoned, ...abandoned],
  }),
} satisfies Partial<Handlers>;

const requestHandlers = {
  NodeGroupResized: (s, { data: { count, operation } }) => {
    const countBefore = s.spec ? { countBefore: s.spec.count } : {};
    return withOperation(changed(withCount(s, count)), { ...operation, ...countBefore });
  },
  NodeGroupUpdated: (s, { data }) => withUpdate(s, data, changed),
  NodeGroupRebuildRequested: (s, { data }) => withRollout(changed(s), data, 'rebuild'),
  NodeGroupRebootRequested: (s, { data }) => withRollout(changed(s), data, `${data.type}Reboot`),
  NodeGroupRetryRequested: (s, { data }) => withRetry(changed(s), data.operation),
  NodeGroupDeletionRequested: (s, { data: { operation, operationId, force } }) => ({
    ...withOperation({ ...s, revision: s.revision + 1 }, operation),
    deleting: true,
    ...(force ? { forced: true } : {}),
    conditions: withoutConditions(s.conditions, 'Degraded', 'Failed'),
    status: 'DELETING',
    lastOperationId: operationId,
  }),
  OperationCancelRequested: (s, { data }) => withCancellation(s, data.operationId),
} satisfies Partial<Handlers>;

const lifecycleHandlers = {
  // the origins of the values stay in the history, not in the state
  NodeGroupCreated: (s, { data: { origins: _origins, ...declared } }, createdAt) => ({
    ...withOperation(s, declared.operation),
    declared,
    spec: declared.spec,
    builds: withBuild([], declared.spec),
    revision: 1,
    ...omitUndefined({ planned: declared.planned }),
    lastOperationId: declared.operationId,
    createdAt,
  }),
  NodeGroupBecameActive: s => {
    const { planned: _done, ...rest } = s;
    const conditions = withoutConditions(s.conditions, 'Degraded', 'Failed', 'PlanDeviated');
    return { ...withRolloutStatus(rest, 'completed'), status: 'ACTIVE', conditions, replaced: 0 };
  },
  NodeGroupDegraded: (s, { data }) => degraded(s, data),
  NodeGroupDeleted: s => ({ ...s, deleted: true, members: new Map() }),
  OperationEnded: endOperation,
} satisfies Partial<Handlers>;

export const nodeGroupStream: StreamDefinition<NodeGroupState, NodeGroupEvent> = {
  category: 'nodeGroup',
  initial: initialNodeGroup,
  evolve: evolveByType<NodeGroupState, NodeGroupEvent>({
    ...lifecycleHandlers,
    ...memberHandlers,
    ...requestHandlers,
  }),
};
