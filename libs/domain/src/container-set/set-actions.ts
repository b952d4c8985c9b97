import {
  accept,
  acceptUnless,
  brokenRules,
  changeRefusal,
  conflict,
  operationEndedRefusal,
  refuse,
  type Decision,
} from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { operationEnded, type Conditional, type OperationStart } from '../kernel/operation.js';
import {
  directedAdjustment,
  scaledCount,
  type Adjustment,
  type Bounds,
  type ScalingDirection,
} from '../scaling/scaling-arithmetic.js';
import { nextRevision, revisionFor, stableRevision, supersededEvents } from './container-set-decider.js';
import type { ContainerSetEvent, ResizeCause, RolloutKind } from './container-set-events.js';
import { setContentProblems, type SetRevision, type SetSource } from './container-set-spec.js';
import { revisionOf, type ContainerSetState } from './container-set-state.js';
import type { ScalingPolicy } from './set-policies.js';

type Result = Decision<ContainerSetEvent>;

const what = 'the container set';

interface Begin extends Conditional {
  readonly operationId: string;
}

interface BeginResize extends Begin {
  /** The name of who asks for it. */
  readonly by?: string;
}

const boundsOf = ({ min, max }: ContainerSetState['spec']): Bounds => ({ min, ...(max === undefined ? {} : { max }) });

function resized(
  state: ContainerSetState,
  adjustment: Adjustment,
  {
    operationId,
    kind,
    cause,
    direction,
  }: Begin & {
    readonly kind: string;
    readonly cause: ResizeCause;
    readonly direction?: ScalingDirection;
  },
): Result {
  const { desired: from } = state.spec;
  const scaled = scaledCount(from, adjustment, boundsOf(state.spec), direction);
  if (!scaled.ok) return refuse(scaled.refusal);
  const { count: desired } = scaled;
  if (desired === from) return accept();
  const operation = { id: operationId, kind, total: Math.abs(desired - from) };
  return accept({ type: 'ContainerSetResized', data: { desired, cause, operation } });
}

/** Changes the desired number. A result outside the bounds is refused with `outside-bounds`; the present number results in no event. */
export function resizeContainerSet(
  state: ContainerSetState,
  { adjustment, by, ...command }: BeginResize & { readonly adjustment: Adjustment },
): Result {
  const refusal = changeRefusal(what, state, command.ifMatch);
  if (refusal) return refuse(refusal);
  const cause = { kind: 'resize', ...omitUndefined({ by }) } as const;
  return resized(state, adjustment, { ...command, kind: 'container-set.resize', cause });
}

interface ScaleSet extends BeginResize {
  readonly direction: ScalingDirection;
  /** Wins over the number of the policy. */
  readonly count?: number;
  /** The effective policy of the direction. */
  readonly policy?: ScalingPolicy;
  readonly now: string;
}

/** Scales by the policy of the direction, or by the count. Refuses with `no-policy` without either, and with `cooldown` while one runs. */
export function scaleContainerSet(
  state: ContainerSetState,
  { direction, count, policy, now, by, ...command }: ScaleSet,
): Result {
  const refusal = changeRefusal(what, state, command.ifMatch);
  if (refusal) return refuse(refusal);
  const asked = { direction, now, ...omitUndefined({ count, policy }) };
  const scaled = directedAdjustment('the set', asked, state.scaledAt[direction]);
  if (!scaled.ok) return refuse(scaled.refusal);
  const { policyId, policyRevision } = policy ?? {};
  const cause = { kind: 'scale', ...omitUndefined({ policyId, policyRevision, by }) } as const;
  const scaling = { ...command, kind: 'container-set.scale', cause, direction };
  return resized(state, scaled.adjustment, scaling);
}

function started(
  state: ContainerSetState,
  kind: RolloutKind,
  to: SetRevision,
  operationId: string,
  memberIds?: readonly string[],
): Result {
  const names = { update: 'roll', restart: 'restart', rebalance: 'rebalance' } as const;
  const total = 2 * (memberIds?.length ?? state.spec.desired);
  const operation: OperationStart = { id: operationId, kind: `container-set.${names[kind]}`, total };
  const data = { kind, from: stableRevision(state), to, operationId, operation, ...(memberIds ? { memberIds } : {}) };
  return accept<ContainerSetEvent>(...supersededEvents(state), { type: 'RolloutStarted', data });
}

/** Rolls to the present revision of the profile, or to another profile. The contents that the set has already result in no event. */
export function rollContainerSet(
  state: ContainerSetState,
  { source, operationId, ifMatch }: Begin & { readonly source: SetSource },
): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  const problems = setContentProblems(source, state.spec);
  if (problems.length > 0) return refuse(brokenRules(problems));
  const to = revisionFor(state, source);
  return to.revision === state.target ? accept() : started(state, 'update', to, operationId);
}

/** Replaces each member by another one of the same contents. */
export function restartContainerSet(state: ContainerSetState, { operationId, ifMatch }: Begin): Result {
  const refusal = changeRefusal(what, state, ifMatch);
  if (refusal) return refuse(refusal);
  return started(state, 'restart', { ...revisionOf(state), revision: nextRevision(state) }, operationId);
}

/** Replaces these members, which are where others should be. Refused with `busy` during a rollout; nothing to move results in no event. */
export function rebalanceContainerSet(
  state: ContainerSetState,
  { memberIds, operationId, ifMatch }: Begin & { readonly memberIds: readonly string[] },
): Result {
  const rolling = state.rollout ? conflict('busy', 'a rollout replaces the members; wait for that') : undefined;
  const refusal = changeRefusal(what, state, ifMatch) ?? rolling;
  if (refusal) return refuse(refusal);
  const there = memberIds.filter(id => state.members.get(id)?.leaving === false);
  return there.length === 0 ? accept() : started(state, 'rebalance', revisionOf(state), operationId, there);
}

/** Pauses the rollout after the step under way. Refused with `no-rollout` without one; a repeat has no effect. */
export function pauseRollout(state: ContainerSetState, ifMatch?: number): Result {
  const none = state.rollout ? undefined : conflict('no-rollout', 'the container set has no rollout');
  const refusal = changeRefusal(what, state, ifMatch) ?? none;
  if (refusal) return refuse(refusal);
  if (state.rollout?.status === 'PAUSED') return accept();
  return accept({ type: 'RolloutPaused', data: { code: 'requested', reason: 'paused on request' } });
}

/** Resumes the rollout; it gets a new operation where its own has ended. */
export function resumeRollout(state: ContainerSetState, { operationId, ifMatch }: Begin): Result {
  const none = state.rollout ? undefined : conflict('no-rollout', 'the container set has no rollout');
  const isWaiting = state.rollout?.paused?.code === 'cluster-paused';
  const waits = isWaiting ? conflict('paused', 'the cluster is paused; resume it first') : undefined;
  const refusal = changeRefusal(what, state, ifMatch) ?? none ?? waits;
  if (refusal) return refuse(refusal);
  if (state.rollout?.status !== 'PAUSED') return accept();
  const operation = { id: operationId, kind: 'container-set.resume', total: 2 * state.spec.desired };
  const hasOwn = state.operations.some(o => o.rolls && !o.cancelled);
  return accept({ type: 'RolloutResumed', data: hasOwn ? {} : { operation } });
}

/**
 * Cancels an operation. A creation is undone, a change of the number of members restores the number before, a rollout pauses after the step
 * under way. Other operations cannot be cancelled.
 */
export function cancelSetOperation(state: ContainerSetState, operationId: string, by?: string): Result {
  const operation = state.operations.find(o => o.id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  const requested: ContainerSetEvent = {
    type: 'OperationCancelRequested',
    data: { operationId, ...omitUndefined({ by }) },
  };
  if (state.deleting) return refuse(conflict('not-cancellable', 'the container set is being deleted'));
  if (operation.kind === 'container-set.create')
    return accept<ContainerSetEvent>(requested, { type: 'ContainerSetDeletionRequested', data: { operationId } });
  if (operation.rolls) {
    const pause: ContainerSetEvent = { type: 'RolloutPaused', data: { code: 'cancelled', reason: 'it was cancelled' } };
    const paused = state.rollout && state.rollout.status !== 'PAUSED' ? [pause] : [];
    return accept<ContainerSetEvent>(requested, ...paused, operationEnded(operationId, 'CANCELLED'));
  }
  if (operation.desiredBefore !== undefined) return accept(requested);
  return acceptUnless(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
}
