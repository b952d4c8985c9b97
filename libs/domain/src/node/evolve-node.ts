import type { OperationStart } from '../kernel/operation.js';
import type { StreamDefinition } from '../kernel/stream-definition.js';
import { resetRetries, type Work } from '../task/task-state.js';
import { evolveTask, settledStatus, withTask } from './evolve-node-task.js';
import type { NodeDeleted, NodeEvent, NodeRolloutRequested, NodeTaskRetried } from './node-events.js';
import { initialNode, type NodeState, type NodeTaskKind } from './node-state.js';

const abandonedBy = ({ abandoned }: NodeDeleted['data']): Pick<NodeState, 'abandoned'> =>
  abandoned ? { abandoned: abandoned.reason } : {};

function withoutOperation(state: NodeState): NodeState {
  const { operation: _ended, ...rest } = state;
  return rest;
}

/** What an operator says of a node that is being rebuilt counts once it exists again. */
const withUncordonAfter = ({ rebuilding }: NodeState, uncordonAfter: boolean): Pick<NodeState, 'rebuilding'> =>
  rebuilding ? { rebuilding: { ...rebuilding, uncordonAfter } } : {};

function withUncordon(state: NodeState): NodeState {
  if (state.rebuilding) return { ...state, ...withUncordonAfter(state, true) };
  const { claim } = state.work;
  const open: NodeState = { ...state, schedulable: true, drained: false, status: settledStatus(state) };
  if (!state.engineDrained) return open;
  return withTask({ ...open, engineDrained: false, work: claim ? { claim } : {} }, 'node.undrain', '');
}

function withoutPlan(state: NodeState): NodeState {
  const { planned: _over, ...rest } = state;
  return rest;
}

const withPlan = (state: NodeState, { planned }: OperationStart): NodeState =>
  planned ? { ...state, planned: true } : withoutPlan(state);

/** What never stood has no containers: it is built at once. */
function withRebuild(before: NodeState, operation: OperationStart): NodeState {
  const state = withPlan(before, operation);
  const { id, kind } = operation;
  const { claim } = state.work;
  const rebuilding = {
    operationId: id,
    uncordonAfter: state.schedulable || (state.rebuilding?.uncordonAfter ?? false),
  };
  const going: NodeState = {
    ...state,
    status: 'UPDATING',
    revision: state.revision + 1,
    operation: { id, kind },
    schedulable: false,
    drained: false,
    rebuilding,
  };
  return state.wasActive ? { ...going, work: claim ? { claim } : {} } : withTask(going, 'node.rebuild', id);
}

/** What is lost learns no labels: the process that takes its place has them. */
function withoutUpdate(state: NodeState): NodeState {
  const { wanted, claim } = state.work;
  return wanted?.kind === 'node.update' ? { ...state, work: claim ? { claim } : {} } : state;
}

/** As for an operator, without an operation of its own. */
function withRolloutRequested(
  state: NodeState,
  { rolloutId, kind, operationId }: NodeRolloutRequested['data'],
): NodeState {
  const reported: NodeState = { ...state, rollout: { id: rolloutId, done: false } };
  if (kind !== 'rebuild')
    return withTask({ ...reported, status: 'REBOOTING', revision: state.revision + 1 }, `node.${kind}`, operationId);
  return withoutOperation(withRebuild(reported, { id: operationId, kind: 'node.rebuild', total: 1 }));
}

function withRetry(before: NodeState, { operation, operationId }: NodeTaskRetried['data']): NodeState {
  const forGroup = operationId === undefined ? undefined : { id: operationId, kind: 'node.delete' };
  const own = operation ? { id: operation.id, kind: operation.kind } : forGroup;
  const state = withoutPlan(before);
  return {
    ...state,
    work: resetRetries(state.work, own?.id),
    ...(own ? { operation: own } : {}),
    ...(operationId === undefined ? {} : { removalOperationId: operationId }),
    status: state.removing ? 'DELETING' : state.wasActive ? 'UPDATING' : 'CREATING',
  };
}

function evolveNode(state: NodeState, event: NodeEvent, time: string): NodeState {
  const s: NodeState = { ...state, updatedAt: time };
  switch (event.type) {
    case 'NodeDeclared':
      return withTask(
        { ...s, declared: event.data, createdAt: time, revision: 1 },
        'node.create',
        event.data.operationId,
      );
    case 'NodeBecameActive': {
      const { statusReason: _reason, ...rest } = s;
      return { ...withoutPlan(rest), status: 'ACTIVE', wasActive: true };
    }
    case 'NodeCordoned':
      return { ...s, ...withUncordonAfter(s, false), schedulable: false, revision: s.revision + 1 };
    case 'NodeUncordoned':
      return withUncordon({ ...s, revision: s.revision + 1 });
    case 'NodeDrainRequested': {
      const { operation, deadline } = event.data;
      const { drainDeadline: _before, statusReason: _reason, ...rest } = s;
      const draining: NodeState = {
        ...rest,
        schedulable: false,
        drained: false,
        engineDrained: true,
        status: 'DRAINING',
        revision: s.revision + 1,
        operation: { id: operation.id, kind: operation.kind },
        ...(deadline ? { drainDeadline: deadline } : {}),
      };
      return withTask(draining, 'node.drain', operation.id);
    }
    case 'NodeDrainStopped': {
      const { claim } = s.work;
      const left: NodeState = { ...s, status: settledStatus(s), statusReason: event.data.reason };
      return s.work.wanted?.kind === 'node.drain' ? { ...left, work: claim ? { claim } : {} } : left;
    }
    case 'NodeDrained': {
      const drained: NodeState = { ...s, drained: true };
      if (s.removing) return withTask(drained, 'node.delete', s.operation?.id ?? '');
      if (s.rebuilding) return withTask(drained, 'node.rebuild', s.rebuilding.operationId);
      return s.work.wanted?.kind === 'node.drain' ? drained : { ...drained, status: settledStatus(s) };
    }
    case 'NodeRemovalRequested': {
      const going: NodeState = {
        ...s,
        removing: true,
        removalOperationId: event.data.operationId,
        schedulable: false,
        status: 'DELETING',
        statusReason: event.data.reason,
        revision: s.revision + 1,
        operation: { id: event.data.operationId, kind: 'node.delete' },
      };
      const work: Work<NodeTaskKind> = going.work.claim ? { claim: going.work.claim } : {};
      return going.wasActive
        ? { ...going, drained: false, work }
        : withTask({ ...going, drained: true }, 'node.delete', event.data.operationId);
    }
    case 'NodeRebuildRequested':
      return withRebuild(s, event.data.operation);
    case 'NodeRebootRequested': {
      const { operation, type } = event.data;
      const own = { id: operation.id, kind: operation.kind };
      const rebooting: NodeState = {
        ...withPlan(s, operation),
        status: 'REBOOTING',
        revision: s.revision + 1,
        operation: own,
      };
      return withTask(rebooting, type === 'soft' ? 'node.softReboot' : 'node.hardReboot', operation.id);
    }
    case 'NodeRolloutRequested':
      return withRolloutRequested(s, event.data);
    case 'NodeUpdateRequested': {
      const { operationId, ...updating } = event.data;
      return withTask({ ...s, updating }, 'node.update', operationId);
    }
    case 'NodeTaskRetried':
      return s.work.wanted ? withRetry(s, event.data) : s;
    case 'NodeBecameUnreachable':
      return { ...withoutUpdate(s), status: 'UNREACHABLE', statusReason: event.data.reason };
    case 'NodeDeleted':
      return { ...s, deleted: true, work: {}, ...abandonedBy(event.data) };
    case 'OperationEnded':
      return s.operation?.id === event.data.operationId ? withoutOperation(s) : s;
    default:
      return evolveTask(s, event);
  }
}

export const nodeStream: StreamDefinition<NodeState, NodeEvent> = {
  category: 'node',
  initial: initialNode,
  evolve: evolveNode,
};
