import { accept, type Decision } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { operationEnded } from '../kernel/operation.js';
import type { PlacementRequest } from '../placement/model.js';
import { reportTask, type ReportCommand } from '../task/decide-task.js';
import type { TaskEvents } from '../task/task-state.js';
import type { ContainerEvent, ContainerEvents } from './container-events.js';
import { endOperations, isPending, type ContainerState, type ContainerTaskKind } from './container-state.js';

type Result = Decision<ContainerEvent>;

/** Returns the request for the scheduler, or undefined when the container is not pending. Nodes in `avoid` are not considered. */
export const placementRequest = (state: ContainerState, avoid: readonly string[]): PlacementRequest | undefined =>
  isPending(state) ? requestOf(state, avoid) : undefined;

type Demanding = Pick<ContainerState, 'declared' | 'contents'> & Partial<Pick<ContainerState, 'recentlyRejectedBy'>>;

/** Returns what the container demands of a node, whether it has one or not. */
export function requestOf(
  { declared, contents, recentlyRejectedBy = {} }: Demanding,
  avoid: readonly string[] = [],
): PlacementRequest {
  const reasons = avoid.flatMap(id => {
    const { why } = recentlyRejectedBy[id] ?? {};
    return why ? [[id, why] as const] : [];
  });
  const { resources, nodeSelector, zone, region, tolerations } = contents;
  return {
    id: declared.id,
    cpus: resources.cpus ?? 0,
    memoryMb: resources.memoryMb ?? 0,
    ...omitUndefined({ hostNode: declared.hostNode, nodeSelector, zone, region, tolerations }),
    ...(avoid.length > 0 ? { avoid } : {}),
    ...(reasons.length > 0 ? { avoidedFor: Object.fromEntries(reasons) } : {}),
  };
}

/**
 * Places the container on the node where its resources are reserved. No event follows when it is not pending any more; the caller
 * then releases the reservation.
 */
export const placeContainer = (state: ContainerState, data: ContainerEvents['ContainerPlaced']): Result =>
  isPending(state) ? accept({ type: 'ContainerPlaced', data }) : accept();

/** Marks the container as unschedulable, once per reason. */
export function markUnschedulable(state: ContainerState, why: ContainerEvents['ContainerUnschedulable']): Result {
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

interface EvictionRequest {
  readonly nodeId: string;
  readonly reason: string;
  /** The seconds that it has to stop; default: what it asks for. */
  readonly graceSeconds?: number | undefined;
}

/** Evicts the container from this node. A repeated request, or one for another node, changes nothing. */
export function evictContainer(state: ContainerState, { nodeId, reason, graceSeconds }: EvictionRequest): Result {
  if (state.deleting || state.deleted || state.nodeId !== nodeId || state.evictionReason !== undefined) return accept();
  const ended = state.operations
    .filter(o => o.kind !== 'container.create')
    .map(o => operationEnded(o.id, 'CANCELLED', { code: 'evicted', detail: reason }));
  const data = { nodeId, reason, ...omitUndefined({ graceSeconds }) };
  return accept<ContainerEvent>({ type: 'ContainerEvictionRequested', data }, ...ended);
}

/** Returns why the container could not be removed from its node, after its name; undefined unless the removal failed permanently. */
export function containerRemovalFailure({ work, declared }: ContainerState): string | undefined {
  const { wanted } = work;
  if (wanted?.kind !== 'container.delete' || !wanted.retriesExhausted) return undefined;
  return `${declared.name}: ${wanted.lastError?.message ?? ''}`;
}

/** Returns the events of a container that is removed from its node: it is deleted, or placed again after an eviction. */
function removalEvents(state: ContainerState): readonly ContainerEvent[] {
  const { nodeId, evictionReason, declared } = state;
  if (!state.deleting && nodeId !== undefined)
    return [{ type: 'ContainerRemovedFromNode', data: { nodeId, reason: evictionReason ?? '' } }];
  return [{ type: 'ContainerDeleted', data: { clusterId: declared.clusterId } }, ...endOperations(state)];
}

/**
 * Treats a container as removed with its node when its own removal failed permanently: what is left of it is removed with the
 * infrastructure of the node. No event follows while the removal is still retried.
 */
export function removeContainerWithNode(state: ContainerState, nodeId: string): Result {
  const isStuck = !state.deleted && state.nodeId === nodeId && containerRemovalFailure(state) !== undefined;
  return isStuck ? accept(...removalEvents(state)) : accept();
}

/** Accepts a report of a conductor, together with the events that follow for the container and its operations. */
export const reportContainerTask = (command: ReportCommand<ContainerTaskKind>, state: ContainerState): Result =>
  reportTask(command, state.work, ({ type, data }): readonly ContainerEvent[] => {
    if (type === 'TaskCompleted') return completionEvents(data, state);
    if (type !== 'TaskFailed') return [];
    const { failure, message: detail, retryAt } = data;
    const isMissingPlugin = data.code === 'plugin-missing';
    if ((failure === 'capacity' || isMissingPlugin) && canMoveToAnotherNode(state)) {
      const { nodeId = '' } = state;
      const why = isMissingPlugin ? ({ missingPlugin: true } as const) : { insufficientResources: true };
      const eviction = { nodeId, reason: detail, ...why };
      return [{ type: 'ContainerEvictionRequested', data: eviction }];
    }
    return retryAt
      ? []
      : state.operations.map(o => operationEnded(o.id, 'FAILED', { code: data.code ?? failure, detail }));
  });

/** Returns whether the container never ran on this node, so that nothing is lost when it moves to another one. */
const canMoveToAnotherNode = ({ work, nodeId, deleting, evictionReason }: ContainerState): boolean =>
  work.wanted?.kind === 'container.create' && nodeId !== undefined && !deleting && evictionReason === undefined;

function completionEvents(
  completed: TaskEvents<ContainerTaskKind>['TaskCompleted'],
  state: ContainerState,
): readonly ContainerEvent[] {
  if (completed.kind === 'container.delete') return removalEvents(state);
  const succeeded = state.operations.map(o => operationEnded(o.id, 'SUCCEEDED'));
  const isStopped = state.desired === 'stopped';
  if (completed.kind === 'container.stop' || (completed.kind === 'container.update' && isStopped))
    return [{ type: 'ContainerStopped', data: {} }, ...succeeded];
  const { address } = completed.kind === 'container.update' ? {} : completed.result;
  const active: ContainerEvent = { type: 'ContainerBecameActive', data: omitUndefined({ address }) };
  const isChecked = completed.kind !== 'container.update' && state.contents.healthCheck !== undefined;
  const health: ContainerEvent = { type: 'ContainerHealthChanged', data: { health: 'starting' } };
  const stop: ContainerEvent = { type: 'ContainerStopRequested', data: {} };
  return [active, ...(isChecked ? [health] : []), ...succeeded, ...(isStopped ? [stop] : [])];
}
