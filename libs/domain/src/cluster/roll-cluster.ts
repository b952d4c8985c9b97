import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { OperationCommand, OperationStart } from '../kernel/operation.js';
import { brokenRules, notFound, type Problem, type Refusal } from '../kernel/refusal.js';
import { isNewer } from '../ring/version-range.js';
import type { ClusterEvent } from './cluster-events.js';
import { busyRefusal, clusterRefusal, clusterWorkRefusal, pausedRefusal } from './cluster-refusals.js';
import type { ClusterState } from './cluster-state.js';

type Result = Decision<ClusterEvent>;

/** Returns why no rollout can start: other work of the cluster is under way. */
function rolloutRefusal(state: ClusterState, ifMatch?: number): Refusal | undefined {
  const [open] = state.operations;
  return (
    clusterRefusal(state, ifMatch) ?? pausedRefusal(state) ?? clusterWorkRefusal(state) ?? (open && busyRefusal(open))
  );
}

export function rebuildCluster(state: ClusterState, { operation, ifMatch }: OperationCommand): Result {
  const refusal = rolloutRefusal(state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterRebuildRequested', data: { operation } });
}

export function rebootCluster(
  state: ClusterState,
  { operation, type, ifMatch }: OperationCommand & { readonly type: 'soft' | 'hard' },
): Result {
  const refusal = rolloutRefusal(state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterRebootRequested', data: { operation, type } });
}

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
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the cluster'));
  const { driverVersion } = state.spec;
  const detail = `version ${version} is not newer than ${driverVersion}, which the cluster has`;
  const problems = isNewer(version, driverVersion)
    ? request.problems
    : [{ pointer: '/version', code: 'not-newer', detail }, ...request.problems];
  if (problems.length > 0) return refuse(brokenRules(problems));
  return accept({ type: 'ClusterUpgradeRequested', data: { operation, version } });
}
