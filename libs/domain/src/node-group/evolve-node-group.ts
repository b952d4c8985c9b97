import { withCondition, withoutConditions } from '../kernel/condition.js';
import { omitUndefined } from '../kernel/json.js';
import { defineResourceStream, type EventHandlers } from '../kernel/stream-definition.js';
import {
  withLeaving,
  withMembers,
  withNodeHealth,
  withNodeRepairs,
  withRolloutBatch,
  withoutMembers,
} from './group-membership.js';
import {
  changed,
  withCancellation,
  withCount,
  withOperation,
  withRetry,
  withRollout,
  withRolloutHalted,
  withRolloutStatus,
  withUpdate,
} from './group-operations.js';
import { directionOf } from '../scaling/scaling-arithmetic.js';
import { withBuild } from './node-group-changes.js';
import type { NodeGroupDeclaration, NodeGroupEvent, NodeGroupEvents } from './node-group-events.js';
import {
  countChange,
  withAnswer,
  withCapacityFound,
  withCapacityLacking,
  withEnd,
  withScaled,
} from './group-scaling.js';
import { withReleaseAwaited, withReleased } from './node-release.js';
import { ROLLING_REPLACEMENT, type NodeGroupCondition, type NodeGroupState } from './node-group-state.js';

type Handlers = EventHandlers<NodeGroupState, NodeGroupEvent>;

function degraded(state: NodeGroupState, data: NodeGroupEvents['NodeGroupDegraded']): NodeGroupState {
  const { reason: message, failed, planDeviated, lossSuspected } = data;
  const conditionOf = (type: NodeGroupCondition['type'], reason: string): NodeGroupCondition => ({
    type,
    status: 'True',
    reason,
    message,
  });
  const found = [
    conditionOf('Degraded', 'NodesDegraded'),
    ...(lossSuspected ? [conditionOf('LossSuspected', 'MassLossSuspected')] : []),
    ...(failed ? [conditionOf('Failed', planDeviated ? 'PlanDeviated' : 'RetriesExhausted')] : []),
    ...(planDeviated ? [conditionOf('PlanDeviated', 'UnplannedFailure')] : []),
  ];
  const conditions = found.reduce(withCondition, withoutConditions(state.conditions, 'Failed', 'LossSuspected'));
  const next: NodeGroupState = { ...state, status: state.deleting ? 'DELETING' : 'DEGRADED', conditions };
  return failed ? withRolloutHalted(next, 'failed') : next;
}

const memberHandlers = {
  NodesAdded: (s, { data: { nodes, operationId, reason } }) => {
    const replacing = reason === ROLLING_REPLACEMENT ? 0 : nodes.filter(n => n.replaces !== undefined).length;
    const { replacesLost: _once, ...rest } = s;
    const next = withMembers(replacing > 0 ? rest : s, nodes, operationId, reason);
    const replaced = { ...next, replaced: s.replaced + replacing };
    return reason === ROLLING_REPLACEMENT ? { ...replaced, batch: { isOpen: true } } : replaced;
  },
  NodeRemovalAccepted: (s, { data }, time) => {
    const { count, minCount, operation, lacksCapacity } = data;
    const spec = { ...s.spec, count, ...omitUndefined({ minCount }) };
    const left: NodeGroupState = { ...withLeaving(s, data), spec };
    const removed = withAnswer(lacksCapacity ? withCapacityLacking(left, time) : left, data.cause);
    const next = data.reason === ROLLING_REPLACEMENT ? { ...removed, batch: { isOpen: true } } : removed;
    if (!operation) return next;
    // only the autoscaler's removals change the count for its own sake
    const direction = data.cause && directionOf(s.spec.count, count);
    return withOperation(changed(next), { ...operation, ...omitUndefined({ direction }) });
  },
  NodesReleaseAwaited: (s, { data }, time) => {
    const { operation, cause } = data;
    const next = withAnswer(withReleaseAwaited(s, data, time), cause);
    const direction = cause && directionOf(s.spec.count, data.count);
    return operation ? withOperation(changed(next), { ...operation, ...omitUndefined({ direction }) }) : next;
  },
  NodesReleased: (s, { data }) => withReleased(s, data),
  NodeReplacementAccepted: (s, { data: { nodeId, successor, operation } }) =>
    withOperation(changed(withMembers(s, [successor], operation.id, 'replacement')), { ...operation, nodeId }),
  RolloutBatchAccepted: (s, { data }) => ({ ...withRolloutBatch(s, data.nodeIds), batch: { isOpen: true } }),
  NodeBatchEnded: (s, _event, time) => ({ ...s, batch: { isOpen: false, endedAt: time } }),
  NodesHealthChanged: (s, { data }, time) => withNodeHealth(s, data, time),
  NodesRepaired: (s, { data }, time) => withNodeRepairs(s, data, time),
  NodesRemoved: (s, { data: { nodeIds, abandoned = [] } }) => ({
    ...withoutMembers(s, nodeIds),
    abandoned: [...s.abandoned, ...abandoned],
  }),
} satisfies Partial<Handlers>;

const requestHandlers = {
  NodeGroupResized: (s, { data: { count, operation, cause } }, time) => {
    const scaled = withAnswer(withScaled(s, count, time, cause === undefined), cause);
    return withOperation(changed(withCount(scaled, count)), { ...operation, ...countChange(s.spec.count, count) });
  },
  ScaleProposalRefused: (s, { data }, at) => ({ ...withAnswer(s, data), refused: { code: data.code, at } }),
  NodeGroupUpdated: (s, { data }, time) =>
    withUpdate(withScaled(s, data.changes.count ?? s.spec.count, time, data.changes.count !== undefined), data),
  NodeGroupRebuildRequested: (s, { data }) => withRollout(changed(s), data, 'rebuild'),
  NodeGroupRebootRequested: (s, { data }) => withRollout(changed(s), data, `${data.type}Reboot`),
  NodeGroupRetryRequested: (s, { data }) => withRetry(changed(s), data.operation),
  NodeGroupDeletionRequested: (s, { data: { operation, operationId, force } }) => ({
    ...withOperation({ ...s, revision: s.revision + 1 }, operation),
    deleting: true,
    ...(force ? { forced: true } : {}),
    conditions: withoutConditions(s.conditions, 'Degraded', 'Failed', 'LossSuspected'),
    status: 'DELETING',
    lastOperationId: operationId,
  }),
  OperationCancelRequested: (s, { data }, time) => {
    const next = withCancellation(s, data.operationId);
    return withScaled(next, next.spec.count, time, next.spec.count !== s.spec.count);
  },
} satisfies Partial<Handlers>;

/** The origins of the values stay in the history, not in the state. */
function newNodeGroup({ origins: _origins, ...declared }: NodeGroupDeclaration, time: string): NodeGroupState {
  const group: NodeGroupState = {
    declared,
    spec: declared.spec,
    members: new Map(),
    awaiting: 0,
    nextOrdinal: 0,
    status: 'CREATING',
    conditions: [],
    ...omitUndefined({ planned: declared.planned }),
    replaced: 0,
    deleting: false,
    deleted: false,
    abandoned: [],
    revision: 1,
    builds: withBuild([], declared.spec),
    metadataGeneration: 0,
    operations: [],
    lastOperationId: declared.operationId,
    createdAt: time,
    updatedAt: time,
  };
  return { ...withOperation(group, declared.operation), lastOperationId: declared.operationId };
}

const lifecycleHandlers = {
  NodeGroupBecameActive: given => {
    const s = withCapacityFound(given);
    const { planned: _done, replacesLost: _retried, batch: _complete, ...rest } = s;
    const conditions = withoutConditions(s.conditions, 'Degraded', 'Failed', 'PlanDeviated', 'LossSuspected');
    return { ...withRolloutStatus(rest, 'completed'), status: 'ACTIVE', conditions, replaced: 0 };
  },
  NodeGroupDegraded: (s, { data }) => degraded(s, data),
  NodeGroupDeleted: s => ({ ...s, deleted: true, members: new Map(), awaiting: 0 }),
  OperationEnded: withEnd,
} satisfies Partial<Handlers>;

export const nodeGroupStream = defineResourceStream<NodeGroupState, NodeGroupEvent, 'NodeGroupCreated'>(
  'nodeGroup',
  { NodeGroupCreated: newNodeGroup },
  { ...lifecycleHandlers, ...memberHandlers, ...requestHandlers },
);
