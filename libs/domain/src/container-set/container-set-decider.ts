import { isDeepStrictEqual } from 'node:util';
import { incompleteAutoscaling } from '../autoscaling/set-autoscaling.js';
import { counted } from '../kernel/counted.js';
import {
  accept,
  acceptUnless,
  brokenRules,
  changeRefusal,
  conflict,
  existenceRefusal,
  notFound,
  refuse,
  type Decision,
} from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { operationEnded, type Conditional, type OperationCommand, type OperationStart } from '../kernel/operation.js';
import type { ContainerSetDeclaration, ContainerSetEvent } from './container-set-events.js';
import {
  changedSetSpec,
  isAutoscaled,
  setContentProblems,
  setSpecProblems,
  type ContainerSetSpec,
  type SetSource,
  type SetSpecChanges,
} from './container-set-spec.js';
import type { ContainerSetState } from './container-set-state.js';
import { revisionOf } from './container-set-state.js';
import { releaseAwaited } from './set-release.js';
import type { DeletionHook } from './set-policies.js';

type Result = Decision<ContainerSetEvent>;

const what = 'the container set';

/** Creates a set, or refuses with every broken rule. Reconciliation adds its first members. The event is appended with `no_stream`. */
export function createContainerSet(declaration: ContainerSetDeclaration): Result {
  const { spec, source } = declaration;
  const problems = [...setSpecProblems(spec, new Set(Object.keys(spec))), ...setContentProblems(source, spec)];
  return problems.length > 0
    ? refuse(brokenRules(problems))
    : accept({ type: 'ContainerSetCreated', data: declaration });
}

interface UpdateSet extends Conditional {
  readonly changes: SetSpecChanges;
  /** New contents, which members follow by a rollout. */
  readonly source?: SetSource;
  readonly operationId: string;
  /** The name of who asks for it. */
  readonly by?: string;
}

function realChanges(spec: ContainerSetSpec, changes: SetSpecChanges): SetSpecChanges {
  const { max = null, autoscaling = null } = spec;
  const before: Readonly<Record<string, unknown>> = { ...spec, max, autoscaling };
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => !isDeepStrictEqual(before[name], value)));
}

/** The desired number of a set that follows its load moves with its bounds. */
function withinBounds(changes: SetSpecChanges, next: ContainerSetSpec): SetSpecChanges {
  const { desired, min, max = Infinity } = next;
  const moved = Math.min(max, Math.max(min, desired));
  return !isAutoscaled(next) || min > max || moved === desired ? changes : { ...changes, desired: moved };
}

const autoscaledRefusal = conflict(
  'autoscaled',
  'the load of the container set decides how many members it has; resize it, or change min and max',
);

/** Returns the source as a revision: the last one of the same contents, or a new one. */
export function revisionFor(state: ContainerSetState, source: SetSource): SetSource & { readonly revision: number } {
  const known = state.revisions.findLast(({ revision: _number, ...r }) => isDeepStrictEqual(r, { ...source }));
  return known ?? { ...source, revision: nextRevision(state) };
}

export const nextRevision = ({ revisions }: ContainerSetState): number =>
  Math.max(...revisions.map(r => r.revision)) + 1;

/** Returns the revision that a failed rollout goes back to: the last one that was complete. */
export const stableRevision = ({ rollout, target }: ContainerSetState): number =>
  rollout && !rollout.goingBack ? rollout.from : target;

/** Ends the operation of a rollout that another one takes over from. */
export const supersededEvents = ({ operations }: ContainerSetState): readonly ContainerSetEvent[] =>
  operations
    .filter(o => o.rolls)
    .map(o => operationEnded(o.id, 'CANCELLED', { code: 'superseded', detail: 'the container set was changed again' }));

/**
 * Updates the set, or refuses with every rule that the result breaks. New contents start a rollout, in place of one under way. A patch
 * without effect results in no event.
 */
export function updateContainerSet(
  state: ContainerSetState,
  { changes: requested, source, operationId, by, ifMatch }: UpdateSet,
): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const result = changedSetSpec(state.spec, requested);
  if (requested.desired !== undefined && isAutoscaled(state.spec) && isAutoscaled(result))
    return refuse(autoscaledRefusal);
  const incomplete = result.autoscaling && incompleteAutoscaling(result.autoscaling);
  if (incomplete) return refuse(incomplete);
  const changes = withinBounds(requested, result);
  const next = changedSetSpec(state.spec, changes);
  const contents = source ?? revisionOf(state);
  const problems = [...setSpecProblems(next, new Set(Object.keys(requested))), ...setContentProblems(contents, next)];
  if (problems.length > 0) return refuse(brokenRules(problems));
  const real = realChanges(state.spec, changes);
  const isChanged = Object.keys(real).length > 0;
  const to = source && revisionFor(state, source);
  const rolls = to !== undefined && to.revision !== state.target;
  const resizes = Math.abs(next.desired - state.spec.desired);
  const operation = (total: number): { readonly operation: OperationStart } => ({
    operation: { id: operationId, kind: 'container-set.update', total },
  });
  const own = resizes > 0 && !rolls ? operation(resizes) : {};
  const asked = resizes > 0 ? omitUndefined({ by }) : {};
  const updated: ContainerSetEvent = { type: 'ContainerSetUpdated', data: { changes: real, ...own, ...asked } };
  if (!rolls) return accept(...(isChanged ? [updated] : []));
  const rollout = {
    kind: 'update',
    from: stableRevision(state),
    to,
    operationId,
    ...operation(2 * next.desired),
  } as const;
  return accept<ContainerSetEvent>(...supersededEvents(state), ...(isChanged ? [updated] : []), {
    type: 'RolloutStarted',
    data: rollout,
  });
}

interface RemoveSetMember {
  readonly memberId: string;
  readonly operation: OperationStart;
  /** Lowers the desired number, so that the member gets no successor. */
  readonly reduceDesired?: boolean | undefined;
  /** The name of who asks for it. */
  readonly by?: string;
  /** The node of a member that is moved: its successor passes over it. */
  readonly movedFrom?: string | undefined;
  /** The hook of the deletion policy: an available member waits for its release. */
  readonly hook?: DeletionHook | undefined;
}

/** Removes one member on request. It is replaced, unless the desired number is lowered, which may not go below the minimum. */
export function removeSetMember(
  state: ContainerSetState,
  { memberId, operation, reduceDesired = false, movedFrom, by, hook }: RemoveSetMember,
): Result {
  const refusal = changeRefusal(what, state);
  if (refusal) return refuse(refusal);
  const member = state.members.get(memberId);
  if (!member) return refuse(notFound('the container'));
  if (member.leaving) return refuse(conflict('being-deleted', 'the container is being deleted'));
  const { desired: before, min } = state.spec;
  const desired = reduceDesired ? before - 1 : before;
  if (desired < Math.max(0, min))
    return refuse(conflict('below-min', `the container set must keep ${counted(min, 'member')}`));
  const reason = reduceDesired ? 'removed' : 'replaced on request';
  if (member.release) return refuse(conflict('being-deleted', 'the removal of the container waits for its release'));
  const more = omitUndefined({ by: reduceDesired ? by : undefined });
  const asked = { memberIds: [memberId], reason, operationId: operation.id, operation, ...more };
  if (hook && member.availableSince !== undefined)
    return accept(releaseAwaited(hook, { ...asked, ...(reduceDesired ? { reducesDesired: true as const } : {}) }));
  const data = { ...asked, desired, ...omitUndefined({ movedFrom }) };
  return accept({ type: 'MemberRemovalAccepted', data });
}

interface DeleteSet extends Conditional {
  readonly operationId: string;
  /** Absent when the cluster deletes its sets. */
  readonly operation?: OperationStart;
}

/** Deletes the set and its members, without regard to its budget. */
export function deleteContainerSet(state: ContainerSetState, { operationId, operation, ifMatch }: DeleteSet): Result {
  const missing = existenceRefusal(what, state);
  if (missing) return operation ? refuse(missing) : accept();
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal && !operation) return accept();
  return acceptUnless(refusal, {
    type: 'ContainerSetDeletionRequested',
    data: { operationId, ...omitUndefined({ operation }) },
  });
}

/** Retries what failed: back-off ends, and a rollout that paused for lack of progress continues. */
export function retryContainerSet(state: ContainerSetState, { operation, ifMatch }: OperationCommand): Result {
  const failed = state.backoffs.size > 0 || state.rollout?.paused?.code === 'no-progress-in-time';
  const stopped = state.rollout?.paused?.code === 'batch-failed';
  const nothing = conflict('nothing-to-retry', 'the container set has nothing that failed');
  const refusal = changeRefusal(what, state, ifMatch) ?? (failed || stopped ? undefined : nothing);
  return acceptUnless(refusal, { type: 'ContainerSetRetryRequested', data: { operation } });
}
