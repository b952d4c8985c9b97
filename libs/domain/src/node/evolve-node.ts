import { evolveByType, type EventHandlers } from '../kernel/event-handlers.js';
import { omitUndefined } from '../kernel/omit-undefined.js';
import type { OperationStart } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import { resetRetries, withoutWanted } from '../task/task-state.js';
import { drainHandlers } from './evolve-node-drain.js';
import { taskHandlers, withTask } from './evolve-node-task.js';
import type { NodeEvent, NodeRolloutRequested, NodeTaskRetried } from './node-events.js';
import { initialNode, type NodeState } from './node-state.js';

type Handlers = EventHandlers<NodeState, NodeEvent>;

function withoutOperation(state: NodeState): NodeState {
  const { operation: _ended, ...rest } = state;
  return rest;
}

function withoutPlan(state: NodeState): NodeState {
  const { planned: _over, ...rest } = state;
  return rest;
}

/** Records an accepted change of the node and the operation that it belongs to. */
function withChange(state: NodeState, { id, kind, planned }: OperationStart): NodeState {
  const next = planned ? { ...state, planned: true as const } : withoutPlan(state);
  return { ...next, revision: state.revision + 1, operation: { id, kind } };
}

/** A node that was never built has no containers to evict: it is built at once. */
function withRebuild(state: NodeState, operation: OperationStart): NodeState {
  const uncordonAfter = state.schedulable || (state.rebuilding?.uncordonAfter ?? false);
  const next: NodeState = {
    ...withChange(state, operation),
    status: 'UPDATING',
    schedulable: false,
    drained: false,
    rebuilding: { operationId: operation.id, uncordonAfter },
  };
  return state.wasActive ? { ...next, work: withoutWanted(state.work) } : withTask(next, 'node.rebuild', operation.id);
}

/** An unreachable node gets no new labels: the node that replaces it is built with them. */
const withoutUpdate = (state: NodeState): NodeState =>
  state.work.wanted?.kind === 'node.update' ? { ...state, work: withoutWanted(state.work) } : state;

/** Rebuilds or reboots the node as part of an operation of its group; the node has no operation of its own. */
function withRolloutRequested(
  state: NodeState,
  { rolloutId, kind, operationId }: NodeRolloutRequested['data'],
): NodeState {
  const next: NodeState = { ...state, rollout: { id: rolloutId, done: false } };
  if (kind === 'rebuild')
    return withoutOperation(withRebuild(next, { id: operationId, kind: 'node.rebuild', total: 1 }));
  return withTask({ ...next, status: 'REBOOTING', revision: state.revision + 1 }, `node.${kind}`, operationId);
}

function withRetry(state: NodeState, { operation, operationId }: NodeTaskRetried['data']): NodeState {
  const forGroup = operationId === undefined ? undefined : { id: operationId, kind: 'node.delete' };
  const own = operation ? { id: operation.id, kind: operation.kind } : forGroup;
  return {
    ...withoutPlan(state),
    work: resetRetries(state.work, own?.id),
    ...omitUndefined({ operation: own, removalOperationId: operationId }),
    status: state.removing ? 'DELETING' : state.wasActive ? 'UPDATING' : 'CREATING',
  };
}

const lifecycleHandlers = {
  NodeDeclared: (s, { data }, time) =>
    withTask({ ...s, declared: data, createdAt: time, revision: 1 }, 'node.create', data.operationId),
  NodeBecameActive: s => {
    const { statusReason: _reason, ...rest } = withoutPlan(s);
    return { ...rest, status: 'ACTIVE', wasActive: true };
  },
  NodeBecameUnreachable: (s, { data }) => ({ ...withoutUpdate(s), status: 'UNREACHABLE', statusReason: data.reason }),
  NodeDeleted: (s, { data: { abandoned } }) => ({
    ...s,
    deleted: true,
    work: {},
    ...omitUndefined({ abandoned: abandoned?.reason }),
  }),
  OperationEnded: (s, { data }) => (s.operation?.id === data.operationId ? withoutOperation(s) : s),
} satisfies Partial<Handlers>;

const requestHandlers = {
  NodeRemovalRequested: (s, { data: { operationId, reason } }) => {
    const removing: NodeState = {
      ...s,
      removing: true,
      removalOperationId: operationId,
      schedulable: false,
      drained: !s.wasActive,
      status: 'DELETING',
      statusReason: reason,
      revision: s.revision + 1,
      operation: { id: operationId, kind: 'node.delete' },
    };
    return s.wasActive ? { ...removing, work: withoutWanted(s.work) } : withTask(removing, 'node.delete', operationId);
  },
  NodeRebuildRequested: (s, { data }) => withRebuild(s, data.operation),
  NodeRebootRequested: (s, { data: { operation, type } }) =>
    withTask({ ...withChange(s, operation), status: 'REBOOTING' }, `node.${type}Reboot`, operation.id),
  NodeRolloutRequested: (s, { data }) => withRolloutRequested(s, data),
  NodeUpdateRequested: (s, { data: { operationId, ...updating } }) =>
    withTask({ ...s, updating }, 'node.update', operationId),
  NodeTaskRetried: (s, { data }) => (s.work.wanted ? withRetry(s, data) : s),
} satisfies Partial<Handlers>;

export const nodeStream: StreamDefinition<NodeState, NodeEvent> = {
  category: 'node',
  initial: initialNode,
  evolve: evolveByType<NodeState, NodeEvent>({
    ...lifecycleHandlers,
    ...drainHandlers,
    ...requestHandlers,
    ...taskHandlers,
  }),
};
