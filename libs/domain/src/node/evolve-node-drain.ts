import type { EventHandlers } from '../kernel/event-handlers.js';
import { omitUndefined } from '../kernel/omit-undefined.js';
import { withoutWanted } from '../task/task-state.js';
import { settledStatus, withTask } from './evolve-node-task.js';
import type { NodeEvent } from './node-events.js';
import type { NodeState } from './node-state.js';

/** A node that is being rebuilt keeps the wish of the operator until it exists again. */
const withUncordonAfter = ({ rebuilding }: NodeState, uncordonAfter: boolean): Pick<NodeState, 'rebuilding'> =>
  rebuilding ? { rebuilding: { ...rebuilding, uncordonAfter } } : {};

function withUncordon(state: NodeState): NodeState {
  if (state.rebuilding) return { ...state, ...withUncordonAfter(state, true) };
  const open: NodeState = { ...state, schedulable: true, drained: false, status: settledStatus(state) };
  if (!state.engineDrained) return open;
  return withTask({ ...open, engineDrained: false, work: withoutWanted(state.work) }, 'node.undrain', '');
}

/** Handles the events that close a node for containers and open it again. */
export const drainHandlers = {
  NodeCordoned: s => ({ ...s, ...withUncordonAfter(s, false), schedulable: false, revision: s.revision + 1 }),
  NodeUncordoned: s => withUncordon({ ...s, revision: s.revision + 1 }),
  NodeDrainRequested: (s, { data: { operation, deadline: drainDeadline } }) => {
    const { drainDeadline: _before, statusReason: _reason, ...rest } = s;
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
  NodeDrained: s => {
    const drained: NodeState = { ...s, drained: true };
    if (s.removing) return withTask(drained, 'node.delete', s.operation?.id ?? '');
    if (s.rebuilding) return withTask(drained, 'node.rebuild', s.rebuilding.operationId);
    return s.work.wanted?.kind === 'node.drain' ? drained : { ...drained, status: settledStatus(s) };
  },
} satisfies Partial<EventHandlers<NodeState, NodeEvent>>;
