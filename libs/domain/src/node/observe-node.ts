import { accept, type Decision } from '../kernel/decider.js';
import type { Observation, UnitObservation } from '../kernel/observation.js';
import { endOf } from '../kernel/operation.js';
import type { NodeEvent } from './node-events.js';
import type { NodeState } from './node-state.js';

/** Returns whether no work can change the infrastructure; an update of labels cannot. */
const isIdle = ({ wanted, claim }: NodeState['work']): boolean =>
  wanted?.kind === 'node.update' ? claim === undefined || claim.taskId === wanted.taskId : !wanted && !claim;

const isObservable = ({ deleted, removing, rebuilding, builtGeneration, work }: NodeState): boolean =>
  !deleted && !removing && rebuilding === undefined && builtGeneration > 0 && isIdle(work);

/** Returns how conductors should find the unit of the node; undefined while that is about to change. */
export function expectedNodeUnit(state: NodeState): UnitObservation | undefined {
  if (!isObservable(state)) return undefined;
  return { state: state.status === 'UNREACHABLE' ? 'missing' : 'running' };
}

const reasons = {
  stopped: 'its unit has stopped',
  failed: 'its unit has failed',
  missing: 'its unit is not on the infrastructure any more',
  silent: 'its engine does not answer',
} as const;

/**
 * Returns the events that follow from an observation. Every change of the infrastructure raises the generation first, so an observation
 * that began before such a change is ignored. A repeated observation changes nothing.
 */
export function observeNode(state: NodeState, { generation, state: seen }: Observation): Decision<NodeEvent> {
  const { nodeGroupId } = state.declared;
  if (!isObservable(state) || generation !== state.generation) return accept();
  const isLost = state.status === 'UNREACHABLE';
  if (isLost !== (seen === 'running')) return accept();
  if (seen === 'running') return accept<NodeEvent>({ type: 'NodeBecameActive', data: { nodeGroupId } });
  const reason = reasons[seen];
  return accept<NodeEvent>(
    { type: 'NodeBecameUnreachable', data: { reason } },
    ...endOf(state.operation, 'FAILED', { code: 'node-unreachable', detail: reason }),
  );
}

/**
 * Classifies a unit on the infrastructure by the stream of its node: `never` without a node, `gone` when the node is deleted or a
 * later generation of it was built (a late create leaves such a unit), else `live`. A unit of a generation that is wanted or
 * under way is live.
 */
export function classifyNodeUnit(state: NodeState | undefined, generation: number): 'live' | 'gone' | 'never' {
  if (!state) return 'never';
  return state.deleted || generation < state.builtGeneration ? 'gone' : 'live';
}
