import { accept, type Decision } from '../kernel/decider.js';
import { suspicions, type Observation, type UnitObservation } from '../kernel/observation.js';
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
  if (state.status !== 'UNREACHABLE') return { state: 'running' };
  return { state: hasUnit(state) ? 'stopped' : 'missing' };
}

/** Whether something of a node that is out of service may still be on the infrastructure. */
const hasUnit = ({ lost, missing }: NodeState): boolean => lost === true && missing !== true;

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
export function observeNode(
  state: NodeState,
  { generation, state: seen, suspected }: Observation,
  acceptances = 0,
): Decision<NodeEvent> {
  const { nodeGroupId } = state.declared;
  if (!isObservable(state) || generation !== state.generation) return accept();
  const isLost = state.status === 'UNREACHABLE';
  const isGone = seen === 'missing' && hasUnit(state);
  if (isLost !== (seen === 'running') && !isGone) return accept();
  if (seen === 'running') return accept<NodeEvent>({ type: 'NodeBecameActive', data: { nodeGroupId } });
  if (seen === 'missing' && suspected)
    return accept<NodeEvent>({ type: 'NodeLossSuspected', data: { reason: suspicions[suspected], acceptances } });
  return becameUnreachable(state, reasons[seen], seen === 'missing');
}

const becameUnreachable = (state: NodeState, reason: string, isMissing: boolean): Decision<NodeEvent> =>
  accept<NodeEvent>(
    { type: 'NodeBecameUnreachable', data: { reason, ...(isMissing && { missing: true as const }) } },
    ...endOf(state.operation, 'FAILED', { code: 'node-unreachable', detail: reason }),
  );

/** Treats a suspected loss as a loss once its cluster has accepted more losses than when it was suspected: the group replaces the node. */
export const isLossAccepted = (state: NodeState, acceptances: number): boolean =>
  state.suspectedLoss !== undefined && isObservable(state) && acceptances > state.suspectedLoss.acceptances;

export const acceptNodeLoss = (state: NodeState, acceptances: number): Decision<NodeEvent> =>
  isLossAccepted(state, acceptances)
    ? becameUnreachable(state, `${reasons.missing}; the loss was accepted`, true)
    : accept();

/**
 * Classifies a unit on the infrastructure by the stream of its node: `never` without a node, `gone` when the node is deleted or a
 * later generation of it was built (a late create leaves such a unit), else `live`. A unit of a generation that is wanted or
 * under way is live.
 */
export function classifyNodeUnit(state: NodeState | undefined, generation: number): 'live' | 'gone' | 'never' {
  if (!state) return 'never';
  return state.deleted || generation < state.builtGeneration ? 'gone' : 'live';
}
