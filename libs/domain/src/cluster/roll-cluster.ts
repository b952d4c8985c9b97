import { accept, refuse, type Decision } from '../kernel/decider.js';
import type { OperationStart } from '../kernel/operation.js';
import { brokenRules, notFound, type Problem, type Refusal } from '../kernel/refusal.js';
import { isNewer } from '../ring/version-range.js';
import type { ClusterEvent } from './cluster-events.js';
import { busyWith, refusesWork, unusable, whilePaused } from './cluster-refusals.js';
import type { ClusterState } from './cluster-state.js';

type Result = Decision<ClusterEvent>;

/** Nothing else may be under way at the cluster itself. */
function cannotRoll(state: ClusterState, ifMatch?: number): Refusal | undefined {
  const [open] = state.operations;
  return unusable(state, ifMatch) ?? whilePaused(state) ?? refusesWork(state) ?? (open && busyWith(open));
}

export function rebuildCluster(state: ClusterState, operation: OperationStart, ifMatch?: number): Result {
  const refusal = cannotRoll(state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterRebuildRequested', data: { operation } });
}

export function rebootCluster(
  state: ClusterState,
  operation: OperationStart,
  type: 'soft' | 'hard',
  ifMatch?: number,
): Result {
  const refusal = cannotRoll(state, ifMatch);
  return refusal ? refuse(refusal) : accept({ type: 'ClusterRebootRequested', data: { operation, type } });
}

export interface ClusterUpgradeRequest {
  readonly version: string;
  readonly operation: OperationStart;
  readonly ifMatch?: number;
  /** What of the cluster this version cannot do. */
  readonly problems: readonly Problem[];
}

/** Only to a newer version than the recorded one. That somebody offers it is the caller's to see. */
export function upgradeCluster(state: ClusterState, request: ClusterUpgradeRequest): Result {
  const { version, operation, ifMatch } = request;
  const refusal = cannotRoll(state, ifMatch);
  if (refusal || !state.spec) return refuse(refusal ?? notFound('the cluster'));
  const { driverVersion } = state.spec;
  const detail = `version ${version} is not newer than ${driverVersion}, which the cluster has`;
  const problems = isNewer(version, driverVersion)
    ? request.problems
    : [{ pointer: '/version', code: 'not-newer', detail }, ...request.problems];
  if (problems.length > 0) return refuse(brokenRules(problems));
  return accept({ type: 'ClusterUpgradeRequested', data: { operation, version } });
}
