import { isDeepStrictEqual } from 'node:util';
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
  type Refusal,
} from '../kernel/decider.js';
import { truncate } from '../kernel/listing.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { operationEnded, type Conditional, type OperationCommand, type OperationStart } from '../kernel/operation.js';
import { flavorProblems, specDuplicates } from '../node-group/node-group-spec.js';
import { isNewer } from '../ring/version-range.js';
import { retryRefusal } from '../task/task-state.js';
import type { ClusterChanges, ClusterCreated, ClusterEvent, ClusterSpecification } from './cluster-events.js';
import { changedSpec, actionOnNodes, isBuildBegun, type ClusterOperation, type ClusterState } from './cluster-state.js';

type Result = Decision<ClusterEvent>;

const what = 'the cluster';

/** Returns why no new work can start in the cluster, or undefined when it can. */
export function clusterWorkRefusal(state: ClusterState): Refusal | undefined {
  const detail = 'the cluster could not be built; retry or delete it';
  return changeRefusal(what, state) ?? (state.status === 'FAILED' ? conflict('cluster-failed', detail) : undefined);
}

/** Returns why no work on the cluster, its node groups and nodes starts now; containers are not affected. */
export const pausedRefusal = ({ paused }: ClusterState): Refusal | undefined =>
  paused ? conflict('paused', 'the cluster is paused; resume it first') : undefined;

/** Returns why no node can be built: the cluster itself failed permanently. */
export const nodeBuildBlocker = ({ status, statusReason = '' }: ClusterState): string | undefined =>
  status === 'FAILED' ? truncate(`the cluster could not be built: ${statusReason}`) : undefined;

const busyRefusal = ({ id, kind }: ClusterOperation): Refusal => ({
  ...conflict('busy', `${kind} is under way (operation ${id}); wait for it or cancel it`),
  extra: { operationId: id, kind },
});

const isBeingDeleted = ({ operations }: ClusterState): boolean => operations.some(o => o.deletes);

/** Creates a cluster with its first node groups as one event, which is appended with `no_stream`. */
export const createCluster = (data: ClusterCreated['data']): Result => accept({ type: 'ClusterCreated', data });

interface DeleteCluster extends OperationCommand {
  /** Explicitly abandons what cannot be removed. */
  readonly force?: boolean | undefined;
}

/** Deletes the cluster, whatever is under way. A deletion that failed permanently may be repeated; a running one may only be forced. */
export function deleteCluster(state: ClusterState, { operation, ifMatch, force = false }: DeleteCluster): Result {
  const again = state.deleting && (!isBeingDeleted(state) || (force && !state.forced));
  const refusal = changeRefusal(what, again ? { ...state, deleting: false } : state, ifMatch);
  return acceptUnless(refusal, {
    type: 'ClusterDeletionRequested',
    data: { operation, ...(force ? { force } : {}) },
  });
}

/**
 * Cancels an operation. A creation is undone; a rollout stops after the step under way. A deletion and an update of the shared
 * infrastructure cannot be cancelled.
 */
export function cancelClusterOperation(
  state: ClusterState,
  { operationId, deletion }: { readonly operationId: string; readonly deletion: OperationStart },
): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  const requested: ClusterEvent = { type: 'OperationCancelRequested', data: { operationId } };
  if (operation.kind === 'cluster.create' && !state.deleting)
    return accept<ClusterEvent>(requested, { type: 'ClusterDeletionRequested', data: { operation: deletion } });
  if (state.rollout?.operationId !== operationId)
    return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
  return operation.cancelled ? accept() : accept<ClusterEvent>(requested, ...notBegun(state, operationId));
}

/** Ends a rollout at once whose first step no conductor has claimed. The update of the shared infrastructure still follows. */
function notBegun({ work }: ClusterState, operationId: string): readonly ClusterEvent[] {
  const waits = work.wanted?.operationId === operationId && work.claim === undefined;
  const error = { code: 'cancelled', detail: 'no node was changed' };
  return waits ? [operationEnded(operationId, 'CANCELLED', error)] : [];
}

/**
 * Retries what failed permanently, as a new operation: work on the shared infrastructure, a rollout or the deletion. A failed rollout
 * waits for an update that is under way.
 */
export function retryCluster(state: ClusterState, { operation, ifMatch }: OperationCommand): Result {
  const { failedRollout, operations, work } = state;
  const exhausted = work.wanted?.retriesExhausted === true;
  const [open] = failedRollout && !exhausted ? operations : [];
  const refusal = existenceRefusal(what, state, ifMatch) ?? pausedRefusal(state) ?? (open && busyRefusal(open));
  const isTask = exhausted || failedRollout !== undefined;
  if (!refusal && !isTask && state.deleting && !isBeingDeleted(state))
    return accept({ type: 'ClusterDeletionRequested', data: { operation } });
  const nothing = isTask ? undefined : retryRefusal(what, work);
  return acceptUnless(refusal ?? nothing, { type: 'ClusterTaskRetried', data: { operation } });
}

/** Returns whether a retry would rebuild nodes, which takes the data on them. */
export const retryRenewsNodes = ({ failedRollout, work: { wanted } }: ClusterState): boolean =>
  (failedRollout !== undefined && failedRollout.kind !== 'reboot') ||
  (wanted?.kind === 'cluster.rebuild' && wanted.retriesExhausted === true);

interface ClusterPatchRequest {
  /** The operation to start when the driver has to apply network, API or options. */
  readonly operation: OperationStart;
  readonly ifMatch?: number;
  /** Returns further problems of the result. */
  readonly problems?: (next: ClusterSpecification) => readonly Problem[];
  /** Returns the operation of a rollout where a changed option needs new nodes. */
  readonly rollout?: (next: ClusterSpecification) => OperationStart | undefined;
}

function zoneProblems({ defaults }: ClusterChanges, before: ClusterSpecification): readonly Problem[] {
  if (!defaults?.zones || isDeepStrictEqual(defaults.zones, before.defaults.zones)) return [];
  return specDuplicates(defaults, attribute => `/defaults/${attribute}`);
}

const sharedParts = ({ network, api, options }: ClusterSpecification): unknown => [network, api, options];

/**
 * Updates the cluster, or refuses with every problem of the result. A patch without effect results in no event. When the shared
 * infrastructure exists or is being built, the driver applies network, API and options as an operation, and labels without one. A newer
 * change supersedes an older one that is under way. Where a changed option needs new nodes, all nodes are rebuilt a few at a time.
 */
export function updateCluster(state: ClusterState, changes: ClusterChanges, request: ClusterPatchRequest): Result {
  const { spec } = state;
  const refusal = changeRefusal(what, state, request.ifMatch);
  if (refusal) return refuse(refusal);
  const next = changedSpec(spec, changes);
  const problems = [
    ...labelProblems(changes.labels),
    ...flavorProblems(changes.defaults?.flavor, '/defaults/flavor'),
    ...zoneProblems(changes, spec),
    ...(request.problems?.(next) ?? []),
  ];
  if (problems.length > 0) return refuse(brokenRules(problems));
  if (isDeepStrictEqual(next, spec)) return accept();
  const parts = !isDeepStrictEqual(sharedParts(next), sharedParts(spec));
  const reported = parts || !isDeepStrictEqual(next.labels, spec.labels);
  if (!reported || !isBuildBegun(state)) return accept({ type: 'ClusterUpdated', data: { changes } });
  if (!parts) return accept({ type: 'ClusterUpdated', data: { changes, needsDriver: true } });
  const rollout = request.rollout?.(next);
  return rollout ? updateNodes(state, changes, rollout) : updateParts(state, changes, request.operation);
}

/** The rollout updates the shared infrastructure, then each node. */
const updateNodes = (state: ClusterState, changes: ClusterChanges, operation: OperationStart): Result =>
  acceptUnless(
    rolloutRefusal(state),
    { type: 'ClusterUpdated', data: { changes } },
    { type: 'ClusterRebuildRequested', data: { operation } },
  );

function updateParts(state: ClusterState, changes: ClusterChanges, operation: OperationStart): Result {
  const rolling = state.operations.find(o => o.id === actionOnNodes(state));
  const refusal = pausedRefusal(state) ?? (rolling && busyRefusal(rolling));
  if (refusal) return refuse(refusal);
  const superseded = { code: 'superseded', detail: 'a newer change superseded it' };
  const older = state.operations.filter(o => o.kind === operation.kind);
  return accept<ClusterEvent>(...older.map(o => operationEnded(o.id, 'CANCELLED', superseded)), {
    type: 'ClusterUpdated',
    data: { changes, needsDriver: true, operation },
  });
}

/** Pauses or resumes the cluster. A request without effect results in no event. */
export function pauseCluster(
  state: ClusterState,
  { paused, ifMatch }: Conditional & { readonly paused: boolean },
): Result {
  const changed: readonly ClusterEvent[] =
    state.paused === paused ? [] : [{ type: paused ? 'ClusterPaused' : 'ClusterResumed', data: {} }];
  return acceptUnless(changeRefusal(what, state, ifMatch), ...changed);
}

/** Accepts that missing nodes and containers are lost. Refused with `no-loss-suspected` when the loss of none is suspected. */
export function acceptClusterLoss(
  state: ClusterState,
  { suspected, ifMatch }: Conditional & { readonly suspected: boolean },
): Result {
  const nothing = conflict('no-loss-suspected', 'no node or container of the cluster is suspected to be lost');
  return acceptUnless(changeRefusal(what, state, ifMatch) ?? (suspected ? undefined : nothing), {
    type: 'ClusterLossAccepted',
    data: {},
  });
}

/** Returns why no rollout can start: other work of the cluster is under way. */
function rolloutRefusal(state: ClusterState, ifMatch?: number): Refusal | undefined {
  const [open] = state.operations;
  return (
    changeRefusal(what, state, ifMatch) ??
    pausedRefusal(state) ??
    clusterWorkRefusal(state) ??
    (open && busyRefusal(open))
  );
}

interface NodesCommand extends OperationCommand {
  /** The driver does it to the cluster with all its nodes as one task. */
  readonly atOnce?: boolean;
}

export const rebuildCluster = (state: ClusterState, { operation, ifMatch, atOnce }: NodesCommand): Result =>
  acceptUnless(rolloutRefusal(state, ifMatch), {
    type: 'ClusterRebuildRequested',
    data: { operation, ...(atOnce ? { atOnce } : {}) },
  });

export const rebootCluster = (
  state: ClusterState,
  { operation, type, ifMatch, atOnce }: NodesCommand & { readonly type: 'soft' | 'hard' },
): Result =>
  acceptUnless(rolloutRefusal(state, ifMatch), {
    type: 'ClusterRebootRequested',
    data: { operation, type, ...(atOnce ? { atOnce } : {}) },
  });

interface ClusterUpgradeRequest {
  readonly version: string;
  readonly operation: OperationStart;
  readonly ifMatch?: number;
  /** The attributes of the cluster that this version does not support. */
  readonly problems: readonly Problem[];
}

/** Upgrades the cluster to a version newer than the recorded one. The caller checks that a live conductor offers it. */
export function upgradeCluster(state: ClusterState, request: ClusterUpgradeRequest): Result {
  const { version, operation, ifMatch } = request;
  const refusal = rolloutRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  const { driverVersion } = state.spec;
  const detail = `version ${version} is not newer than ${driverVersion}, which the cluster has`;
  const problems = isNewer(version, driverVersion)
    ? request.problems
    : [{ pointer: '/version', code: 'not-newer', detail }, ...request.problems];
  if (problems.length > 0) return refuse(brokenRules(problems));
  return accept({ type: 'ClusterUpgradeRequested', data: { operation, version } });
}
