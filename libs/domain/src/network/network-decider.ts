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
  type Problem,
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
import type { NetworkDeclaration, NetworkEvent } from './network-events.js';
import type { NetworkState, NetworkTaskKind } from './network-state.js';
import { isHostAddress, subnetOf } from './subnet.js';

type Result = Decision<NetworkEvent>;

const what = 'the network';

/** Returns what is wrong with a subnet and its gateway. Pointers name the members in a request for a network. */
export function subnetProblems({ subnet, gateway }: { subnet?: string; gateway?: string }): readonly Problem[] {
  const block = subnet === undefined ? undefined : subnetOf(subnet);
  if (subnet !== undefined && (!block || block.prefix > 30))
    return [
      { pointer: '/subnet', code: 'subnet-invalid', detail: `${subnet} is not a subnet with room for containers` },
    ];
  if (gateway === undefined) return [];
  if (!block) return [{ pointer: '/gateway', code: 'subnet-required', detail: 'a gateway needs a subnet' }];
  const detail = `the gateway ${gateway} is not an address of ${subnet ?? ''}`;
  return isHostAddress(block, gateway) ? [] : [{ pointer: '/gateway', code: 'gateway-outside-subnet', detail }];
}

/** Creates a network. One of node scope can be used at once: each node makes it when it needs it. */
export function createNetwork(data: NetworkDeclaration): Result {
  const problems = [...subnetProblems(data), ...labelProblems(data.labels)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const created: NetworkEvent = { type: 'NetworkCreated', data };
  if (data.scope === 'cluster') return accept(created);
  return accept<NetworkEvent>(
    created,
    { type: 'NetworkBecameActive', data: {} },
    ...endOf(data.operation, 'SUCCEEDED'),
  );
}

export interface NetworkChanges {
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly autoRemove?: boolean | null;
}

/** Updates labels and `autoRemove`. An update without effect results in no event. */
export function updateNetwork(state: NetworkState, changes: NetworkChanges, ifMatch?: number): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const labels = changes.labels === undefined ? state.labels : mergeLabels(state.labels, changes.labels);
  const autoRemove = changes.autoRemove === undefined ? state.autoRemove : (changes.autoRemove ?? false);
  const problems = labelProblems(labels);
  if (problems.length > 0) return refuse(brokenRules(problems));
  const isSame = JSON.stringify([labels, autoRemove]) === JSON.stringify([state.labels, state.autoRemove]);
  return isSame ? accept() : accept({ type: 'NetworkUpdated', data: { labels, autoRemove } });
}

interface DeletionRequest extends Conditional {
  readonly operationId: string;
  /** Absent when the system itself made the request. */
  readonly operation?: OperationStart;
  readonly reason: string;
  /** The names of the containers that name the network. */
  readonly users: readonly string[];
}

/** Deletes a network that no container names. Repeating a deletion whose retries are exhausted retries it. */
export function deleteNetwork(state: NetworkState, { ifMatch, users, ...request }: DeletionRequest): Result {
  const { operation } = request;
  const isRepeated = operation !== undefined && state.work.wanted?.retriesExhausted === true;
  const refusal =
    changeRefusal(what, isRepeated ? { ...state, deleting: false } : state, ifMatch) ?? inUse(what, users);
  if (refusal) return operation ? refuse(refusal) : accept();
  if (isRepeated && state.deleting) return accept({ type: 'NetworkTaskRetried', data: { operation } });
  return accept({ type: 'NetworkDeletionRequested', data: request });
}

/** Removes a network that is being deleted once nothing uses it, and nothing will. Those of node scope are left to their nodes. */
export function releaseNetwork(state: NetworkState): Result {
  if (!state.deleting || state.released || state.deleted) return accept();
  const released: NetworkEvent = { type: 'NetworkReleased', data: {} };
  return state.declared.scope === 'node' ? accept<NetworkEvent>(released, ...deletionEvents(state)) : accept(released);
}

/** Ends the removal of a network whose cluster is removed with everything in it. */
export const abandonNetwork = (state: NetworkState): Result =>
  state.released && !state.deleted && state.work.wanted?.retriesExhausted ? accept(...deletionEvents(state)) : accept();

function deletionEvents({ declared, operations }: NetworkState): readonly NetworkEvent[] {
  const ended = operations.map(o => operationEnded(o.id, o.deletes ? 'SUCCEEDED' : 'CANCELLED'));
  return [{ type: 'NetworkDeleted', data: { clusterId: declared.clusterId } }, ...ended];
}

export const retryNetwork = (state: NetworkState, { operation, ifMatch }: OperationCommand): Result =>
  acceptUnless(existenceRefusal(what, state, ifMatch) ?? retryRefusal(what, state.work), {
    type: 'NetworkTaskRetried',
    data: { operation },
  });

/** Cancels a creation, which is undone. */
export function cancelNetworkOperation(state: NetworkState, operationId: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  if (operation.cancelled) return accept();
  if (operation.kind !== 'network.create' || state.deleting)
    return refuse(conflict('not-cancellable', `${operation.kind} cannot be cancelled`));
  const undone = deleteNetwork(state, { operationId, reason: 'cancelled', users: [] });
  const requested: NetworkEvent = { type: 'OperationCancelRequested', data: { operationId } };
  return undone.ok ? accept(requested, ...undone.events) : undone;
}

/** Accepts a report of a conductor, together with the events that follow for the network and its operations. */
export const reportNetworkTask = (command: ReportCommand<NetworkTaskKind>, state: NetworkState): Result =>
  reportTask(command, state.work, ({ type, data }): readonly NetworkEvent[] => {
    if (type === 'TaskCompleted') {
      if (data.kind === 'network.delete') return deletionEvents(state);
      const succeeded = state.operations.map(o => operationEnded(o.id, 'SUCCEEDED'));
      return [{ type: 'NetworkBecameActive', data: {} }, ...succeeded];
    }
    if (type !== 'TaskFailed' || data.retryAt) return [];
    const error = { code: data.code ?? data.failure, detail: data.message };
    return state.operations.map(o => operationEnded(o.id, 'FAILED', error));
  });
