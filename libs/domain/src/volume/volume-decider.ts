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
import { inUse } from '../kernel/in-use.js';
import { labelProblems, mergeLabels } from '../kernel/merge-labels.js';
import {
  endOf,
  operationEnded,
  type Conditional,
  type OperationCommand,
  type OperationStart,
} from '../kernel/operation.js';
import { reportTask, type ReportCommand } from '../task/decide-task.js';
import { retryRefusal } from '../task/task-state.js';
import type { ReclaimPolicy, VolumeDeclaration, VolumeEvent } from './volume-events.js';
import { hasData, type VolumeState, type VolumeTaskKind } from './volume-state.js';

type Result = Decision<VolumeEvent>;

const what = 'the volume';

/** Creates a volume. One of node scope can be used at once: its first container decides which node has it. */
export function createVolume(data: VolumeDeclaration): Result {
  const problems = labelProblems(data.labels);
  if (problems.length > 0) return refuse(brokenRules(problems));
  const created: VolumeEvent = { type: 'VolumeCreated', data };
  if (data.scope === 'cluster') return accept(created);
  return accept<VolumeEvent>(created, { type: 'VolumeBecameActive', data: {} }, ...endOf(data.operation, 'SUCCEEDED'));
}

export interface VolumeChanges {
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly reclaimPolicy?: ReclaimPolicy | null;
}

/** Updates labels and reclaim policy. An update without effect results in no event. */
export function updateVolume(state: VolumeState, changes: VolumeChanges, ifMatch?: number): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const labels = changes.labels === undefined ? state.labels : mergeLabels(state.labels, changes.labels);
  const given = changes.reclaimPolicy;
  const reclaimPolicy = given === undefined ? state.reclaimPolicy : (given ?? 'retain');
  const problems = labelProblems(labels);
  if (problems.length > 0) return refuse(brokenRules(problems));
  const isSame = JSON.stringify([labels, reclaimPolicy]) === JSON.stringify([state.labels, state.reclaimPolicy]);
  return isSame ? accept() : accept({ type: 'VolumeUpdated', data: { labels, reclaimPolicy } });
}

interface DeletionRequest extends Conditional {
  readonly operationId: string;
  /** Absent when the system itself made the request. */
  readonly operation?: OperationStart;
  readonly reason: string;
  /** The names of the containers that name the volume. */
  readonly users: readonly string[];
}

/** Deletes a volume that no container names, with its data. Repeating a deletion whose retries are exhausted retries it. */
export function deleteVolume(state: VolumeState, { ifMatch, users, ...request }: DeletionRequest): Result {
  const { operation } = request;
  const isRepeated = operation !== undefined && state.work.wanted?.retriesExhausted === true;
  const refusal =
    changeRefusal(what, isRepeated ? { ...state, deleting: false } : state, ifMatch) ?? inUse(what, users);
  if (refusal) return operation ? refuse(refusal) : accept();
  if (isRepeated && state.deleting) return accept({ type: 'VolumeTaskRetried', data: { operation } });
  return accept({ type: 'VolumeDeletionRequested', data: request });
}

/** Removes a volume that is being deleted once nothing uses it, and nothing will. */
export function releaseVolume(state: VolumeState): Result {
  if (!state.deleting || state.released || state.deleted) return accept();
  const released: VolumeEvent = { type: 'VolumeReleased', data: {} };
  return hasData(state) ? accept(released) : accept<VolumeEvent>(released, ...deletionEvents(state));
}

/**
 * Deletes a volume with its cluster. Data of node scope goes with its node; a volume of cluster scope that is to be retained is left where
 * it is, and so is one that could not be removed.
 */
export function deleteVolumeWithCluster(state: VolumeState, operationId: string): Result {
  const { declared, deleted, deleting, released, reclaimPolicy, work, statusReason } = state;
  if (deleted) return accept();
  const reason = 'the cluster is being deleted';
  const request: VolumeEvent[] = deleting ? [] : [{ type: 'VolumeDeletionRequested', data: { operationId, reason } }];
  if (declared.scope === 'node') return released ? accept() : accept<VolumeEvent>(...request, ...deletionEvents(state));
  if (!released && reclaimPolicy === 'retain' && !deleting)
    return accept<VolumeEvent>(...request, ...deletionEvents(state, 'it is to be retained (reclaimPolicy)'));
  if (work.wanted?.retriesExhausted && released) return accept(...deletionEvents(state, statusReason ?? 'not removed'));
  return accept(...request);
}

/** Removes a volume with its node where its own removal failed for good. */
export const abandonVolume = (state: VolumeState, isNodeGone: boolean): Result =>
  isNodeGone && state.released && !state.deleted ? accept(...deletionEvents(state)) : accept();

function deletionEvents({ declared, operations }: VolumeState, abandoned?: string): readonly VolumeEvent[] {
  const ended = operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  const data = { clusterId: declared.clusterId, ...(abandoned !== undefined && { abandoned }) };
  return [{ type: 'VolumeDeleted', data }, ...ended];
}

export const retryVolume = (state: VolumeState, { operation, ifMatch }: OperationCommand): Result =>
  acceptUnless(existenceRefusal(what, state, ifMatch) ?? retryRefusal(what, state.work), {
    type: 'VolumeTaskRetried',
    data: { operation },
  });

/** Refuses to discard data that no node has. */
export const rebindRefusal = ({ nodeId }: VolumeState): Refusal | undefined =>
  nodeId === undefined ? conflict('not-bound', 'no node has data of the volume') : undefined;

/** Discards the data of the volume, so that its next container decides which node has it. No event follows where it was discarded. */
export function rebindVolume(state: VolumeState, { users, ifMatch }: UsersRequest): Result {
  const { nodeId } = state;
  const refusal = changeRefusal(what, state, ifMatch) ?? inUse(what, users);
  if (refusal) return refuse(refusal);
  return nodeId === undefined ? accept() : accept({ type: 'VolumeRebound', data: { nodeId } });
}

interface UsersRequest extends Conditional {
  /** The names of the containers that use the volume on a node. */
  readonly users: readonly string[];
}

/** Takes the volume from its containers. Without `force` it is refused while containers use it. */
export function detachFromContainers(
  state: VolumeState,
  { force, users, ifMatch }: UsersRequest & { readonly force: boolean },
): Result {
  const refusal = changeRefusal(what, state, ifMatch) ?? (force ? undefined : inUse(what, users));
  if (refusal) return refuse(refusal);
  return users.length === 0 ? accept() : accept({ type: 'VolumeDetachRequested', data: { users } });
}

export interface VolumePlace {
  /** The node that has the data by the ledger. */
  readonly nodeId: string | undefined;
  readonly node: 'reachable' | 'unreachable' | 'removed' | undefined;
}

/** Records which node has the data, and what became of it. */
export function observeVolume(state: VolumeState, { nodeId, node }: VolumePlace): Result {
  if (state.deleted) return accept();
  if (nodeId === undefined) {
    const isDiscarded = state.nodeId !== undefined && !state.deleting;
    return isDiscarded ? accept({ type: 'VolumeRebound', data: { nodeId: state.nodeId } }) : accept();
  }
  const events: VolumeEvent[] = state.nodeId === nodeId ? [] : [{ type: 'VolumeBound', data: { nodeId } }];
  const status = events.length > 0 ? 'ACTIVE' : state.status;
  if (node === 'removed' && status !== 'LOST') events.push({ type: 'VolumeLost', data: { nodeId } });
  if (node === 'unreachable' && status === 'ACTIVE') events.push({ type: 'VolumeBecameUnknown', data: { nodeId } });
  if (node === 'reachable' && (status === 'UNKNOWN' || status === 'LOST'))
    events.push({ type: 'VolumeFound', data: { nodeId } });
  return state.deleting ? accept(...events.filter(e => e.type === 'VolumeBound')) : accept(...events);
}

/** Cancels a creation, which is undone. */
export function cancelVolumeOperation(state: VolumeState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  if (operation.cancelled) return accept();
  if (operation.kind !== 'volume.create' || state.deleting)
    return refuse(conflict('not-cancellable', `${operation.kind} cannot be cancelled`));
  const undone = deleteVolume(state, { operationId, reason: 'cancelled', users: [] });
  const requested: VolumeEvent = { type: 'OperationCancelRequested', data: { operationId } };
  return undone.ok ? accept(requested, ...undone.events) : undone;
}

/** Accepts a report of a conductor, together with the events that follow for the volume and its operations. */
export const reportVolumeTask = (command: ReportCommand<VolumeTaskKind>, state: VolumeState): Result =>
  reportTask(command, state.work, ({ type, data }): readonly VolumeEvent[] => {
    if (type === 'TaskCompleted') {
      if (data.kind === 'volume.delete') return deletionEvents(state);
      const succeeded = state.operations.map(o => operationEnded(o.id, 'SUCCEEDED'));
      return [{ type: 'VolumeBecameActive', data: {} }, ...succeeded];
    }
    if (type !== 'TaskFailed' || data.retryAt) return [];
    const error = { code: data.code ?? data.failure, detail: data.message };
    return state.operations.map(o => operationEnded(o.id, 'FAILED', error));
  });
