import { autoscaleSet, type AutoscalerMemory, type SetLoad, type SetScaling } from '../autoscaling/autoscale-set.js';
import { contentionIn, type Contention } from '../autoscaling/contention.js';
import type { DemandSample, MetricDemand } from '../autoscaling/demand.js';
import type { SetAutoscaling } from '../autoscaling/set-autoscaling.js';
import { hasCondition } from '../kernel/condition.js';
import { accept, type Decision } from '../kernel/decider.js';
import { instantMs, instantOf } from '../kernel/instant.js';
import { omitUndefined } from '../kernel/json.js';
import type { ContainerSetEvent, DecidingLoad, MetricUse, ResizeCause } from './container-set-events.js';
import { contentsFrom, isAutoscaled } from './container-set-spec.js';
import { revisionOf, type ContainerSetState } from './container-set-state.js';
import { SOMEBODY, type SetScalingTurns } from './set-scaling-turns.js';

/** What an evaluation of a set needs beside its state. */
export interface EvaluationInput extends Pick<SetLoad, 'policies' | 'quotaLeft'> {
  /** Milliseconds. */
  readonly now: number;
  readonly samples: readonly DemandSample[];
  readonly memory: AutoscalerMemory;
  /** The cluster is paused. */
  readonly paused: boolean;
}

/** What an evaluation of a set results in. */
export interface SetEvaluation extends SetScaling {
  readonly contention?: Contention;
}

interface Hold {
  readonly reason: string;
  /** Milliseconds; absent where no time ends it. */
  readonly until?: number;
}

const resizedReason = ({ resizedBy = SOMEBODY }: SetScalingTurns): string =>
  resizedBy === SOMEBODY ? 'it was resized' : `it was resized by ${resizedBy}`;

/** Returns why the number of members does not follow the load now; the hold that lasts longest. */
function holdOf(
  state: ContainerSetState,
  settings: SetAutoscaling,
  { now, paused }: EvaluationInput,
): Hold | undefined {
  const { rollout, backoffUntil, turns } = state;
  if (paused) return { reason: 'the cluster is paused' };
  if (rollout?.goingBack) return { reason: 'the rollout goes back' };
  if (hasCondition(state, 'RetriesExhausted')) return { reason: 'its members failed too often; change or retry it' };
  const until = (time: string | undefined, seconds = 0): number =>
    time === undefined ? 0 : instantMs(time) + seconds * 1000;
  const holds: readonly Required<Hold>[] = [
    { reason: 'its members fail, and are tried one at a time', until: until(backoffUntil) },
    { reason: resizedReason(turns), until: until(turns.resizedAt, settings.manualHoldSeconds) },
  ];
  return holds.filter(hold => hold.until > now).sort((a, b) => b.until - a.until)[0];
}

/** Evaluates the load of a set that has settings of autoscaling. Pure: the same input results in the same evaluation. */
export function evaluateSet(state: ContainerSetState, settings: SetAutoscaling, input: EvaluationInput): SetEvaluation {
  const { spec, scaledAt, turns } = state;
  const { now, samples, memory, policies, quotaLeft } = input;
  const hold = holdOf(state, settings, input);
  const contention = contentionIn(turns.firsts, now);
  const scaled = omitUndefined({
    out: scaledAt.out === undefined ? undefined : instantMs(scaledAt.out),
    in: scaledAt.in === undefined ? undefined : instantMs(scaledAt.in),
  });
  const load: SetLoad = {
    now,
    samples,
    desired: spec.desired,
    min: spec.min,
    max: spec.max ?? Infinity,
    limits: contentsFrom(revisionOf(state)).resources,
    scaledAt: scaled,
    ...omitUndefined({ held: hold?.reason, contendedBy: contention?.actor, policies, quotaLeft }),
  };
  const scaling = autoscaleSet(settings, load, memory);
  const until = scaling.state === 'held' ? (scaling.heldUntil ?? hold?.until) : undefined;
  const heldUntil = scaling.state === 'contended' ? contention?.until : until;
  return { ...scaling, ...omitUndefined({ contention, heldUntil }) };
}

/** Sums of fractions are off by less than a millionth, which nobody wants to read. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Returns a metric as events and answers show it. */
export const metricUse = ({ resource, target, known, unknown, use, ratio }: MetricDemand): MetricUse => ({
  resource,
  target,
  known: rounded(known),
  unknown: rounded(unknown),
  ...omitUndefined({ use: use && rounded(use), ratio: ratio && rounded(ratio) }),
});

interface AutoscaleSet extends EvaluationInput {
  readonly operationId: string;
  /** Is handed the evaluation, also where nothing changes. */
  readonly onEvaluated?: (evaluation: SetEvaluation) => void;
}

/**
 * Evaluates the load of a set, and decides the change of its number of members. `operationId`: of the change. No event where the set does not
 * follow its load, is being deleted, or has the right number.
 */
export function autoscaleContainerSet(
  state: ContainerSetState,
  { operationId, onEvaluated, ...input }: AutoscaleSet,
): Decision<ContainerSetEvent> {
  const { autoscaling, desired: from } = state.spec;
  if (state.deleting || state.deleted || !autoscaling || !isAutoscaled(state.spec)) return accept();
  const evaluation = evaluateSet(state, autoscaling, input);
  onEvaluated?.(evaluation);
  const { desired, recommended, stabilised, reason, metrics, policy } = evaluation;
  if (desired === from) return accept();
  const load: DecidingLoad = {
    at: instantOf(input.now),
    from,
    stabilised,
    reason,
    metrics: metrics.map(metricUse),
    ...omitUndefined({ recommended }),
  };
  const { policyId, policyRevision } = policy ?? {};
  const cause: ResizeCause = { kind: 'autoscaler', load, ...omitUndefined({ policyId, policyRevision }) };
  const operation = { id: operationId, kind: 'container-set.autoscale', total: Math.abs(desired - from) };
  return accept({ type: 'ContainerSetResized', data: { desired, cause, operation } });
}
