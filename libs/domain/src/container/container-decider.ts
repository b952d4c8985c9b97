import {
  accept,
  acceptUnless,
  brokenRules,
  changeRefusal,
  conflict,
  existenceRefusal,
  operationEndedRefusal,
  refuse,
  type Decision,
  type Refusal,
} from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { endOf, type Conditional, type OperationCommand, type OperationStart } from '../kernel/operation.js';
import { retryRefusal } from '../task/task-state.js';
import { ownRuleProblems } from './own-rules.js';
import {
  changedContents,
  changedDemands,
  changedWhileWaiting,
  demandProblems,
  type ContainerChanges,
} from './container-changes.js';
import type { ContainerDeclaration, ContainerEvent, ContainerEvents } from './container-events.js';
import { placementTargetProblems, type TargetNode } from './container-spec.js';
import { endOperations, isBuilt, isPending, type ContainerState } from './container-state.js';

type Result = Decision<ContainerEvent>;

const what = 'the container';

/**
 * Creates a container, or refuses with every broken rule of {@link placementTargetProblems}; `hostNode` names `node`. The event is
 * appended with `no_stream`.
 */
export function createContainer(data: ContainerDeclaration, node?: TargetNode): Result {
  const problems = placementTargetProblems(data, node);
  return problems.length > 0 ? refuse(brokenRules(problems)) : accept({ type: 'ContainerCreated', data });
}

export const busyRefusal = ({ status }: ContainerState): Refusal =>
  conflict('busy', `the container is ${status}; wait for that or cancel it`);

const busy = (state: ContainerState): Result => refuse(busyRefusal(state));

const actions = {
  start: 'ContainerStartRequested',
  stop: 'ContainerStopRequested',
  restart: 'ContainerRestartRequested',
} as const;

/** Starts, stops or restarts a placed container without other work. A start or restart also retries work whose retries are exhausted. */
export function actOnContainer(
  state: ContainerState,
  { action, operation, ifMatch }: OperationCommand & { readonly action: keyof typeof actions },
): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.nodeId === undefined || state.evictionReason !== undefined)
    return refuse(conflict('not-placed', 'the container is not placed on a node'));
  const { wanted, claim } = state.work;
  const isRetry = wanted?.retriesExhausted === true && action !== 'stop';
  return claim || (wanted && !isRetry) ? busy(state) : accept({ type: actions[action], data: { operation } });
}

interface RepairRequest {
  readonly do: 'restart' | 'recreate';
  readonly reason: string;
  readonly operationId: string;
  /** The generation that was found unhealthy. */
  readonly generation: number;
}

/** Whether the repair is still to be requested: the container is as it was found, and nothing else is done with it. */
export const acceptsRepair = (state: ContainerState, generation: number): boolean =>
  !(state.deleting || state.deleted || state.nodeId === undefined || state.evictionReason !== undefined) &&
  state.generation === generation &&
  !state.work.claim &&
  (!state.work.wanted || state.work.wanted.retriesExhausted === true);

/** Starts or builds the container again where it is, for the health policy of its set. A repeated request has no effect. */
export const repairContainer = (state: ContainerState, { generation, ...data }: RepairRequest): Result =>
  acceptsRepair(state, generation) ? accept({ type: 'ContainerRepairRequested', data }) : accept();

interface DeletionRequest extends Conditional {
  /** The operation of the request that caused the deletion; it may belong to another resource. */
  readonly operationId: string;
  /** Present when the deletion was requested for the container itself. */
  readonly operation?: OperationStart;
  readonly reason: string;
  readonly graceSeconds?: number;
}

/** Notes that the removal of the container waits for its release, or does not any more. A repeated request has no effect. */
export function noteRelease(
  state: ContainerState,
  release: ContainerEvents['ContainerReleaseAwaited'] | undefined,
): Result {
  if (state.deleting || state.deleted || state.release?.until === release?.until) return accept();
  return release
    ? accept({ type: 'ContainerReleaseAwaited', data: release })
    : accept({ type: 'ContainerReleaseEnded', data: {} });
}

/** Notes that the hook was called for the release that is awaited until this time. */
export const noteReleaseRequested = (
  { release }: ContainerState,
  until: string,
  data: ContainerEvents['ContainerReleaseRequested'],
): Result =>
  release?.until === until && !release.isRequested ? accept({ type: 'ContainerReleaseRequested', data }) : accept();

/**
 * Deletes the container, for an operator (`operation`) or with its cluster; a repeated request of the system has no effect. A container
 * without a node is deleted at once. Repeating a deletion whose retries are exhausted retries it.
 */
export function deleteContainer(state: ContainerState, { ifMatch, ...request }: DeletionRequest): Result {
  const { operation } = request;
  const isRepeated = operation !== undefined && state.work.wanted?.retriesExhausted === true;
  const refusal = changeRefusal(what, isRepeated ? { ...state, deleting: false } : state, ifMatch);
  if (refusal) return operation ? refuse(refusal) : accept();
  const requested: ContainerEvent = { type: 'ContainerDeletionRequested', data: request };
  if (state.nodeId !== undefined) return accept(requested);
  const deleted: ContainerEvent = { type: 'ContainerDeleted', data: { clusterId: state.declared.clusterId } };
  return accept(requested, deleted, ...endOperations(state, operation));
}

/** Cancels a creation, which is undone. Other work is a single step and cannot be cancelled. */
export function cancelContainerOperation(state: ContainerState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  if (operation.cancelled) return accept();
  if (operation.kind !== 'container.create' || state.deleting)
    return refuse(conflict('not-cancellable', `${operation.kind} cannot be cancelled`));
  const undone = deleteContainer(state, { operationId, reason: 'cancelled' });
  const requested: ContainerEvent = { type: 'OperationCancelRequested', data: { operationId } };
  return undone.ok ? accept(requested, ...undone.events) : undone;
}

/** The kind of an operation that retries work and ends with it. */
export const CONTAINER_RETRY = 'container.retry';

/** Retries the work that failed permanently, as a new operation. */
export const retryContainer = (state: ContainerState, { operation, ifMatch }: OperationCommand): Result =>
  acceptUnless(existenceRefusal(what, state, ifMatch) ?? retryRefusal(what, state.work), {
    type: 'ContainerTaskRetried',
    data: { operation: { ...operation, kind: CONTAINER_RETRY } },
  });

/**
 * Updates the container. Labels change at once. Limits and restart policy of a built container are applied by a task, and are refused
 * during other work and while the loss of the container is suspected, since a unit that is seen again would not have them. An update
 * without effect results in no event. The caller reserves additional resources before.
 */
export function updateContainer(
  state: ContainerState,
  { changes, operation, ifMatch }: OperationCommand & { readonly changes: ContainerChanges },
): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  const { contents, work } = state;
  if (refusal) return refuse(refusal);
  const { labels, resources, restartPolicy } = changedContents(contents, changes);
  const problems = [
    ...(changes.labels ? labelProblems(labels) : []),
    ...ownRuleProblems({ spread: changes.spread ?? [] }),
  ];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const demands = changedDemands(contents, changes);
  if (demands && !isPending(state)) return refuse(brokenRules(demandProblems(changes)));
  if (demands) return changedWhileWaiting(state, demands, { changes, operation });
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const isKept = same(resources, contents.resources) && restartPolicy === contents.restartPolicy;
  if (isKept) return same(labels, contents.labels) ? accept() : accept({ type: 'ContainerUpdated', data: { labels } });
  if (work.wanted ?? work.claim ?? state.suspectedLoss) return busy(state);
  const ended = endOf(isBuilt(state) ? undefined : operation, 'SUCCEEDED');
  return accept<ContainerEvent>(
    { type: 'ContainerUpdated', data: { labels, resources, restartPolicy, operation } },
    ...ended,
  );
}
