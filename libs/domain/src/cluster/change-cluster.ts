import { isDeepStrictEqual } from 'node:util';
import { accept, refuse, type Decision } from '../kernel/decider.js';
import { labelProblems } from '../kernel/merge-labels.js';
import { operationEnded, type Conditional, type OperationStart } from '../kernel/operation.js';
import { brokenRules, notFound, type Problem } from '../kernel/refusal.js';
import { specDuplicates } from '../node-group/spec-duplicates.js';
import type { ClusterChanges, ClusterEvent, ClusterSpecification } from './cluster-events.js';
import { busyRefusal, clusterRefusal, pausedRefusal } from './cluster-refusals.js';
import { changedSpec, type ClusterState } from './cluster-state.js';

type Result = Decision<ClusterEvent>;

interface ClusterPatchRequest {
  /** The operation to start when the driver has to apply network, API or options. */
  readonly operation: OperationStart;
  readonly ifMatch?: number;
  /** Returns further problems of the result. */
  readonly problems?: (next: ClusterSpecification) => readonly Problem[];
}

/** Reports a default flavor that a patch left incomplete. */
function flavorProblems(flavor: object | undefined): readonly Problem[] {
  const missing = ['cpus', 'memoryMb'].filter(member => flavor && !(member in flavor));
  return missing.map(member => ({
    pointer: `/defaults/flavor/${member}`,
    code: 'required',
    detail: `a flavor needs ${member}`,
  }));
}

/** Accepts unchanged zones. */
function zoneProblems({ defaults }: ClusterChanges, before: ClusterSpecification): readonly Problem[] {
  if (!defaults?.zones || isDeepStrictEqual(defaults.zones, before.defaults.zones)) return [];
  return specDuplicates(defaults, attribute => `/defaults/${attribute}`);
}

const sharedParts = ({ network, api, options }: ClusterSpecification): unknown => [network, api, options];

/**
 * Updates the cluster, or refuses with every problem of the result. A patch without effect results in no event. When the shared
 * infrastructure exists or is being built, the driver applies network, API and options as an operation, and labels without one. A newer
 * change supersedes an older one that is under way.
 */
export function updateCluster(state: ClusterState, changes: ClusterChanges, request: ClusterPatchRequest): Result {
  const { spec } = state;
  const refusal = clusterRefusal(state, request.ifMatch);
  if (refusal || !spec) return refuse(refusal ?? notFound('the cluster'));
  const next = changedSpec(spec, changes);
  const problems = [
    ...labelProblems(changes.labels),
    ...flavorProblems(changes.defaults?.flavor),
    ...zoneProblems(changes, spec),
    ...(request.problems?.(next) ?? []),
  ];
  if (problems.length > 0) return refuse(brokenRules(problems));
  if (isDeepStrictEqual(next, spec)) return accept();
  const parts = !isDeepStrictEqual(sharedParts(next), sharedParts(spec));
  const reported = parts || !isDeepStrictEqual(next.labels, spec.labels);
  const begun = state.built || state.work.claim !== undefined;
  if (!reported || !begun) return accept({ type: 'ClusterUpdated', data: { changes } });
  return parts
    ? updateParts(state, changes, request.operation)
    : accept({ type: 'ClusterUpdated', data: { changes, needsDriver: true } });
}

function updateParts(state: ClusterState, changes: ClusterChanges, operation: OperationStart): Result {
  const rolling = state.operations.find(o => o.id === state.rollout?.operationId);
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
  const refusal = clusterRefusal(state, ifMatch);
  if (refusal) return refuse(refusal);
  if (state.paused === paused) return accept();
  return accept({ type: paused ? 'ClusterPaused' : 'ClusterResumed', data: {} });
}
