import { omitUndefined } from '../kernel/json.js';
import type { OperationStart } from '../kernel/operation.js';
import { defineResourceStream, type EventHandlers } from '../kernel/stream-definition.js';
import { noWork, resetRetries, taskHandlers, withNextTask, withoutWanted } from '../task/task-state.js';
import type { NodeDeclaration, NodeEvent, NodeEvents } from './node-events.js';
import { withMachine } from './node-machine.js';
import { settledStatus, taskCompleted, taskFailed } from './node-task-results.js';
import { releaseHandlers, withoutRelease } from './release-node.js';
import type { NodeState, NodeTaskKind } from './node-state.js';

type Handlers = EventHandlers<NodeState, NodeEvent>;

const withTask = (state: NodeState, kind: NodeTaskKind, operationId: string): NodeState =>
  withNextTask(state, state.declared.id, kind, operationId);

/** Keeps the wish of the operator for a node that is being rebuilt until it exists again. */
const withUncordonAfter = ({ rebuilding }: NodeState, uncordonAfter: boolean): Pick<NodeState, 'rebuilding'> =>
  rebuilding ? { rebuilding: { ...rebuilding, uncordonAfter } } : {};

function withUncordon(state: NodeState): NodeState {
  const revision = state.revision + 1;
  if (state.rebuilding) return { ...state, ...withUncordonAfter(state, true), revision };
  const open: NodeState = { ...state, schedulable: true, drained: false, status: settledStatus(state), revision };
  if (!state.engineDrained) return open;
  return withTask({ ...open, engineDrained: false, work: withoutWanted(state.work) }, 'node.undrain', '');
}

const drainHandlers = {
  NodeCordoned: s => ({ ...s, ...withUncordonAfter(s, false), schedulable: false, revision: s.revision + 1 }),
  NodeUncordoned: withUncordon,
  NodeDrainRequested: (s, { data: { operation, deadline: drainDeadline } }) => {
    const { drainDeadline: _before, statusReason: _reason, evictionDelay: _delay, ...rest } = s;
    const draining: NodeState = {
      ...rest,
      schedulable: false,
      drained: false,
      engineDrained: true,
      status: 'DRAINING',
      revision: s.revision + 1,
      operation: { id: operation.id, kind: operation.kind },
      ...omitUndefined({ drainDeadline }),
    };
    return withTask(draining, 'node.drain', operation.id);
  },
  NodeDrainStopped: (s, { data: { reason } }) => {
    const stopped: NodeState = { ...s, status: settledStatus(s), statusReason: reason };
    return s.work.wanted?.kind === 'node.drain' ? { ...stopped, work: withoutWanted(s.work) } : stopped;
  },
  NodeEvictionDelayed: (s, { data: { reason } }) => ({ ...s, evictionDelay: reason, statusReason: reason }),
  NodeDrained: state => {
    const { evictionDelay, statusReason, ...rest } = state;
    const s: NodeState = evictionDelay === undefined ? state : rest;
    const drained: NodeState = { ...s, drained: true };
    if (s.removing) return withTask(drained, 'node.delete', s.operation?.id ?? '');
    if (s.rebuilding) return withTask(drained, 'node.rebuild', s.rebuilding.operationId);
    return s.work.wanted?.kind === 'node.drain' ? drained : { ...drained, status: settledStatus(s) };
  },
} satisfies Partial<Handlers>;

function withoutOperation(state: NodeState): NodeState {
  const { operation: _ended, ...rest } = state;
  return rest;
}

function withoutPlan(state: NodeState): NodeState {
  if (!state.planned) return state;
  const { planned: _over, ...rest } = state;
  return rest;
}

/** A copy without some members costs several times a plain one; most nodes have none of these. */
function withoutTrouble(state: NodeState): NodeState {
  const isUntroubled = state.statusReason === undefined && !state.suspectedLoss && !state.lost && !state.missing;
  if (isUntroubled) return state;
  const { statusReason: _reason, suspectedLoss: _seen, lost: _back, missing: _found, ...rest } = state;
  return rest;
}

function withChange(state: NodeState, { id, kind, planned }: OperationStart): NodeState {
  const next = planned ? { ...state, planned: true as const } : withoutPlan(state);
  return { ...next, revision: state.revision + 1, operation: { id, kind } };
}

/** Starts a rebuild. A node that was never built has no containers to evict: it is built at once. */
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

/** Cancels an update of an unreachable node: the node that replaces it is built with the new labels. */
const withoutUpdate = (state: NodeState): NodeState =>
  state.work.wanted?.kind === 'node.update' ? { ...state, work: withoutWanted(state.work) } : state;

function withRetry(state: NodeState, { operation, operationId }: NodeEvents['NodeTaskRetried']): NodeState {
  const forGroup = operationId === undefined ? undefined : { id: operationId, kind: 'node.delete' };
  const own = operation ? { id: operation.id, kind: operation.kind } : forGroup;
  return {
    ...withoutPlan(state),
    work: resetRetries(state.work, own?.id),
    ...omitUndefined({ operation: own, removalOperationId: operationId }),
    status: state.removing ? 'DELETING' : state.wasActive ? 'UPDATING' : 'CREATING',
  };
}

function newNode(declared: NodeDeclaration, time: string): NodeState {
  const node: NodeState = {
    declared,
    status: 'CREATING',
    schedulable: true,
    wasActive: false,
    drained: false,
    engineDrained: false,
    removing: false,
    deleted: false,
    generation: 0,
    builtGeneration: 0,
    revision: 1,
    work: noWork,
    attempts: 0,
    createdAt: time,
    updatedAt: time,
  };
  return withTask(node, 'node.create', declared.operationId);
}

const lifecycleHandlers = {
  NodeMachineAssigned: (s, { data }) => withMachine(s, data),
  NodeBecameActive: s => ({ ...withoutTrouble(withoutPlan(s)), status: 'ACTIVE', wasActive: true }),
  NodeBecameUnreachable: (s, { data }) => {
    const { suspectedLoss: _accepted, ...rest } = withoutUpdate(s);
    return {
      ...rest,
      status: 'UNREACHABLE',
      statusReason: data.reason,
      lost: true,
      ...omitUndefined({ missing: data.missing }),
    };
  },
  NodeLossSuspected: (s, { data: { reason, acceptances } }) => ({
    ...withoutUpdate(s),
    status: 'UNREACHABLE',
    statusReason: reason,
    suspectedLoss: { acceptances },
  }),
  NodeDeleted: (s, { data: { abandoned } }) => {
    return { ...s, deleted: true, work: {}, ...omitUndefined({ abandoned: abandoned?.reason }) };
  },
  OperationEnded: (s, { data }) => (s.operation?.id === data.operationId ? withoutOperation(s) : s),
} satisfies Partial<Handlers>;

const requestHandlers = {
  NodeRemovalRequested: (s, { data: { operationId, reason, drained = !s.wasActive, graceSeconds } }) => {
    const removing: NodeState = {
      ...withoutRelease(s),
      ...omitUndefined({ graceSeconds }),
      removing: true,
      removalOperationId: operationId,
      schedulable: false,
      drained,
      status: 'DELETING',
      statusReason: reason,
      revision: s.revision + 1,
      operation: { id: operationId, kind: 'node.delete' },
    };
    return drained ? withTask(removing, 'node.delete', operationId) : { ...removing, work: withoutWanted(s.work) };
  },
  NodeRebuildRequested: (s, { data }) => withRebuild(s, data.operation),
  NodeRebootRequested: (s, { data: { operation, type } }) =>
    withTask({ ...withChange(s, operation), status: 'REBOOTING' }, `node.${type}Reboot`, operation.id),
  // the rollout is an operation of the group: the node has no operation of its own
  NodeRolloutRequested: (s, { data: { rolloutId, kind, operationId } }) => {
    const next: NodeState = { ...s, rollout: { id: rolloutId, done: false } };
    if (kind === 'rebuild')
      return withoutOperation(withRebuild(next, { id: operationId, kind: 'node.rebuild', total: 1 }));
    return withTask({ ...next, status: 'REBOOTING', revision: s.revision + 1 }, `node.${kind}`, operationId);
  },
  NodeRepairRequested: (s, { data: { do: action, operationId, reason: statusReason } }) => {
    if (action === 'rebuild')
      return withoutOperation(withRebuild({ ...s, statusReason }, { id: operationId, kind: 'node.rebuild', total: 1 }));
    const next: NodeState = { ...s, statusReason, status: 'REBOOTING', revision: s.revision + 1 };
    return withTask(next, 'node.hardReboot', operationId);
  },
  NodeUpdateRequested: (s, { data: { operationId, ...updating } }) =>
    withTask({ ...s, updating }, 'node.update', operationId),
  NodeTaskRetried: (s, { data }) => (s.work.wanted ? withRetry(s, data) : s),
} satisfies Partial<Handlers>;

export const nodeStream = defineResourceStream<NodeState, NodeEvent, 'NodeDeclared'>(
  'node',
  { NodeDeclared: newNode },
  {
    ...lifecycleHandlers,
    ...drainHandlers,
    ...requestHandlers,
    ...releaseHandlers,
    ...taskHandlers<NodeState, NodeTaskKind>({
      claimed: (s, { attempt }) => ({ ...s, attempts: attempt }),
      failed: taskFailed,
      completed: taskCompleted,
    }),
  },
);
