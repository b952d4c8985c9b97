import { accept, type Decision } from '../kernel/decider.js';
import { operationEnded } from '../kernel/operation.js';
import type { PlacementRequest } from '../placement/model.js';
import { decideReport, type ReportCommand } from '../task/decide-task.js';
import type { TaskCompleted } from '../task/task-events.js';
import { endOperations } from './container-decider.js';
import type { ContainerEvent, ContainerPlaced, ContainerUnschedulable } from './container-events.js';
import { isPending, type ContainerState, type ContainerTaskKind } from './container-state.js';

type Result = Decision<ContainerEvent>;

/** Returns the request for the scheduler, or undefined when the container is not pending. Nodes in `avoid` are not considered. */
export function placementRequest(state: ContainerState, avoid: readonly string[]): PlacementRequest | undefined {
  const { declared, contents } = state;
  if (!declared || !contents || !isPending(state)) return undefined;
  const { resources, nodeSelector, zone, region, tolerations } = contents;
  return {
    id: declared.id,
    cpus: resources.cpus ?? 0,
    memoryMb: resources.memoryMb ?? 0,
    ...(declared.hostNode === undefined ? {} : { hostNode: declared.hostNode }),
    ...(nodeSelector ? { nodeSelector } : {}),
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
    ...(tolerations ? { tolerations } : {}),
    ...(avoid.length > 0 ? { avoid } : {}),
  };
}

/**
 * Places the container on the node where its resources are reserved. No event follows when it is not pending any more; the caller
 * then releases the reservation.
 */
export function placeContainer(state: ContainerState, data: ContainerPlaced['data']): Result {
  return isPending(state) ? accept({ type: 'ContainerPlaced', data }) : accept();
}

/** Marks the container as unschedulable, once per reason. */
export function markUnschedulable(state: ContainerState, why: ContainerUnschedulable['data']): Result {
  const reported = state.unschedulable && JSON.stringify(state.unschedulable) === JSON.stringify(why);
  return !isPending(state) || reported ? accept() : accept({ type: 'ContainerUnschedulable', data: why });
}

/** Fails a container whose only allowed node was removed. It remains until an operator deletes it. */
export function loseContainerNode(state: ContainerState, nodeId: string): Result {
  if (!isPending(state)) return accept();
  const reason = 'the node that it is bound to was removed';
  const ended = state.operations.map(o =>
    operationEnded(o.id, 'FAILED', { code: 'host-node-removed', detail: reason }),
  );
  return accept<ContainerEvent>({ type: 'ContainerNodeLost', data: { nodeId, reason } }, ...ended);
}

/** Evicts the container from this node. A repeated request, or one for another node, changes nothing. */
export function evictContainer(
  state: ContainerState,
  { nodeId, reason }: { readonly nodeId: string; readonly reason: string },
): Result {
  if (state.deleting || state.deleted || state.nodeId !== nodeId || state.evictionReason !== undefined) return accept();
  const ended = state.operations
    .filter(o => o.kind !== 'container.create')
    .map(o => operationEnded(o.id, 'CANCELLED', { code: 'evicted', detail: reason }));
  return accept<ContainerEvent>({ type: 'ContainerEvictionRequested', data: { nodeId, reason } }, ...ended);
}

/** Returns why the container could not be removed from its node, after its name; undefined unless the removal failed permanently. */
export function containerRemovalFailure({ work, declared }: ContainerState): string | undefined {
  const { wanted } = work;
  if (wanted?.kind !== 'container.delete' || !wanted.retriesExhausted) return undefined;
  return `${declared?.name ?? ''}: ${wanted.lastError?.message ?? ''}`;
}

/**
 * Treats a container as removed with its node when its own removal failed permanently: what is left of it is removed with the
 * infrastructure of the node. No event follows while the removal is still retried.
 */
export function removeContainerWithNode(state: ContainerState, nodeId: string): Result {
  const { evictionReason, declared } = state;
  if (state.deleted || state.nodeId !== nodeId || containerRemovalFailure(state) === undefined) return accept();
  if (!state.deleting)
    return accept({ type: 'ContainerRemovedFromNode', data: { nodeId, reason: evictionReason ?? '' } });
  const clusterId = declared?.clusterId ?? '';
  return accept<ContainerEvent>({ type: 'ContainerDeleted', data: { clusterId } }, ...endOperations(state));
}

/** Accepts a report of a conductor, together with the events that follow for the container and its operations. */
export function reportContainerTask(command: ReportCommand<ContainerTaskKind>, state: ContainerState): Result {
  const decision = decideReport(command, state.work);
  const event = decision.ok ? decision.events[0] : undefined;
  if (!event) return decision;
  if (event.type === 'TaskFailed' && event.data.failure === 'capacity' && canMoveToAnotherNode(state)) {
    const { message: reason } = event.data;
    const { nodeId = '' } = state;
    return accept<ContainerEvent>(event, {
      type: 'ContainerEvictionRequested',
      data: { nodeId, reason, insufficientResources: true },
    });
  }
  if (event.type === 'TaskFailed' && !event.data.retryAt) {
    const error = { code: event.data.failure, detail: event.data.message };
    return accept<ContainerEvent>(event, ...state.operations.map(o => operationEnded(o.id, 'FAILED', error)));
  }
  if (event.type !== 'TaskCompleted') return accept<ContainerEvent>(event);
  return accept<ContainerEvent>(event, ...completionEvents(event.data, state));
}

/** The container never ran on this node, so nothing is lost when it moves to another one. */
const canMoveToAnotherNode = ({ work, nodeId, deleting, evictionReason }: ContainerState): boolean =>
  work.wanted?.kind === 'container.create' && nodeId !== undefined && !deleting && evictionReason === undefined;

function completionEvents(
  completed: TaskCompleted<ContainerTaskKind>['data'],
  state: ContainerState,
): readonly ContainerEvent[] {
  const succeeded = state.operations.map(o => operationEnded(o.id, 'SUCCEEDED'));
  switch (completed.kind) {
    case 'container.delete': {
      const { nodeId, evictionReason, declared } = state;
      if (!state.deleting && nodeId !== undefined)
        return [{ type: 'ContainerRemovedFromNode', data: { nodeId, reason: evictionReason ?? '' } }];
      return [{ type: 'ContainerDeleted', data: { clusterId: declared?.clusterId ?? '' } }, ...endOperations(state)];
    }
    case 'container.stop':
      return [{ type: 'ContainerStopped', data: {} }, ...succeeded];
    case 'container.update':
      if (state.desired === 'stopped') return [{ type: 'ContainerStopped', data: {} }, ...succeeded];
      return [{ type: 'ContainerBecameActive', data: {} }, ...succeeded];
    default: {
      const { address } = completed.result;
      const active: ContainerEvent = { type: 'ContainerBecameActive', data: address === undefined ? {} : { address } };
      const stopAgain: ContainerEvent[] =
        state.desired === 'stopped' ? [{ type: 'ContainerStopRequested', data: {} }] : [];
      return [active, ...succeeded, ...stopAgain];
    }
  }
}
