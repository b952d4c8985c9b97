import { accept, changeRefusal, conflict, refuse, type Decision, type Refusal } from '../kernel/decider.js';
import type { OperationCommand } from '../kernel/operation.js';
import { busyRefusal } from './container-decider.js';
import type { ContainerEvent } from './container-events.js';
import type { ContainerState } from './container-state.js';

/** Returns why a container cannot be moved to another node now. */
export function moveRefusal(state: ContainerState): Refusal | undefined {
  const { declared, nodeId, evictionReason, work } = state;
  if (nodeId === undefined || evictionReason !== undefined)
    return conflict('not-placed', 'the container is not placed on a node');
  if (declared.hostNode !== undefined) return conflict('host-node', 'the container may run on its node only');
  return (work.wanted ?? work.claim ?? state.suspectedLoss) ? busyRefusal(state) : undefined;
}

/** Moves a container that is no member of a set: it leaves its node, which is passed over for a while, and is placed again. */
export function moveContainer(
  state: ContainerState,
  { operation, ifMatch }: OperationCommand,
): Decision<ContainerEvent> {
  const refusal = changeRefusal('the container', state, ifMatch) ?? moveRefusal(state);
  const { nodeId } = state;
  if (refusal || nodeId === undefined) return refusal ? refuse(refusal) : accept();
  return accept({ type: 'ContainerEvictionRequested', data: { nodeId, reason: 'moved on request', operation } });
}
