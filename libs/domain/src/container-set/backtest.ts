import { blankMemory, type AutoscalerMemory, type SetLoad } from '../autoscaling/autoscale-set.js';
import type { DemandSample } from '../autoscaling/demand.js';
import { nextEvaluationMs } from '../autoscaling/evaluation-times.js';
import type { SetAutoscaling } from '../autoscaling/set-autoscaling.js';
import { instantMs, instantOf } from '../kernel/instant.js';
import { operationEnded } from '../kernel/operation.js';
import { autoscaleContainerSet } from './autoscale-container-set.js';
import { backtestFigures, coverageOf, type BacktestFigures, type Course } from './backtest-figures.js';
import type { ContainerSetEvent } from './container-set-events.js';
import { contentsFrom, isAutoscaled } from './container-set-spec.js';
import { revisionOf, type ContainerSetState } from './container-set-state.js';
import { containerSetStream } from './evolve-container-set.js';

/** What policies of scaling said from a time on, in milliseconds. */
export interface PoliciesFrom {
  readonly from: number;
  readonly policies: NonNullable<SetLoad['policies']>;
}

/** The past of a set: its events, and the demand that was sampled. Times are milliseconds. */
export interface SetHistory {
  /** The state before the first of the events. */
  readonly state: ContainerSetState;
  readonly events: readonly { readonly event: ContainerSetEvent; readonly time: string }[];
  /** From when on events and demand are given: earlier than `from` by {@link rememberedMs}, since evaluations remember those before them. */
  readonly since: number;
  readonly from: number;
  readonly to: number;
  /** In order. */
  readonly demand: readonly DemandSample[];
  /** When a process began to evaluate, without a memory. In order. */
  readonly begins: readonly number[];
  /** When the cluster was paused. */
  readonly pauses: readonly { readonly from: number; readonly to: number }[];
  /** Settings in place of those that were in force. */
  readonly autoscaling?: SetAutoscaling;
  /** The policies of scaling that were in force, in order of time. */
  readonly policies?: readonly PoliciesFrom[];
}

export interface Backtest extends BacktestFigures {
  /** The share of the time of which the demand is known. */
  readonly coverage: number;
  readonly actual: BacktestFigures;
}

/** Returns how long before a time the evaluations begin that its evaluation remembers, in milliseconds. */
export const rememberedMs = ({ scaleOut, scaleIn, intervalSeconds }: SetAutoscaling): number =>
  1000 * (Math.max(scaleOut.stabilisationSeconds, scaleIn.stabilisationSeconds) + 2 * intervalSeconds);

/** A step is recorded at most so long after the evaluation that decided it. */
const LATEST_STEP_MS = 600_000;

/** Repeats the past of a set with the functions that decide now. What users and rollouts did is taken from its events; the steps of the autoscaler are decided again. */
export class SetBacktest {
  private actual: ContainerSetState;
  private repeated: ContainerSetState;
  private memory: AutoscalerMemory = blankMemory;
  private readonly actualCourse: Course = { points: [], settings: [] };
  private readonly course: Course = { points: [], settings: [] };
  /** The indexes of what comes next. */
  private next = { event: 0, begin: 0, first: 0, last: 0 };
  private at: number;
  private steps = 0;

  /** Until the time that is asked for, the repetition follows what happened, to remember its evaluations. */
  private hasBegun = false;

  constructor(private readonly history: SetHistory) {
    this.actual = history.state;
    this.repeated = history.state;
    this.at = history.since;
    this.follow();
  }

  private follow(): void {
    const { autoscaling } = this.history;
    this.repeated = autoscaling ? withSettings(this.actual, autoscaling) : this.actual;
  }

  private begin(): void {
    this.hasBegun = true;
    const { from: at } = this.history;
    for (const [course, state] of [
      [this.actualCourse, this.actual],
      [this.course, this.repeated],
    ] as const) {
      course.points.push({ at, desired: state.spec.desired, reason: 'the beginning', isOwn: false });
      this.noteSettings(course, state, at);
    }
  }

  /** Repeats the past up to a time, in milliseconds; callers take turns with other work. */
  advance(untilMs: number): void {
    const until = Math.min(untilMs, this.history.to);
    for (;;) {
      const evaluation = nextEvaluationMs(this.repeated.declared.id, this.intervalSeconds, this.at);
      const event = this.history.events[this.next.event];
      const eventMs = event ? instantMs(event.time) : Infinity;
      const first = Math.min(evaluation, eventMs);
      if (!this.hasBegun && first > this.history.from) this.begin();
      if (first > until) break;
      if (eventMs <= evaluation) this.repeat();
      else this.evaluate(evaluation);
    }
  }

  /** Returns what the complete past results in. */
  result(): Backtest {
    const { from, to, demand } = this.history;
    this.advance(to);
    const past = { from, to, demand };
    const actual = backtestFigures(this.actualCourse, past);
    return { coverage: coverageOf(past), ...backtestFigures(this.course, past), actual };
  }

  private get intervalSeconds(): number {
    return this.settings?.intervalSeconds ?? 1;
  }

  private get settings(): SetAutoscaling | undefined {
    return this.repeated.spec.autoscaling;
  }

  /** Takes the next event of the past. */
  private repeat(): void {
    const recorded = this.history.events[this.next.event];
    if (!recorded) return;
    this.next.event += 1;
    const { event, time } = recorded;
    const before = this.actual;
    this.actual = containerSetStream.evolve(before, event, time);
    const changes = this.actual.spec.desired - before.spec.desired;
    const isOwn = event.type === 'ContainerSetResized' && event.data.cause.kind === 'autoscaler';
    if (!this.hasBegun) return this.follow();
    // a step of the autoscaler was taken when it was decided again, or is not taken
    if (!isOwn) this.take(this.adapted(event, changes), time);
    for (const [course, state] of [
      [this.actualCourse, this.actual],
      [this.course, this.repeated],
    ] as const) {
      this.note(course, state, changeOf(event));
      this.noteSettings(course, state, instantMs(time));
    }
  }

  /** Returns the event as it would be with the number of the repetition. */
  private adapted(event: ContainerSetEvent, changes: number): ContainerSetEvent {
    const desired = Math.max(0, this.repeated.spec.desired + changes);
    if (event.type === 'MemberRemovalAccepted') return { ...event, data: { ...event.data, desired } };
    if (event.type === 'MembersReleased') return { ...event, data: { ...event.data, desired } };
    const { autoscaling } = this.history;
    if (event.type !== 'ContainerSetUpdated' || !autoscaling) return event;
    const { autoscaling: _other, ...more } = event.data.changes;
    return { ...event, data: { ...event.data, changes: more } };
  }

  private evaluate(now: number): void {
    this.at = now;
    const { begins, demand, pauses, policies = [] } = this.history;
    if ((begins[this.next.begin] ?? Infinity) <= now) {
      this.memory = blankMemory;
      while ((begins[this.next.begin] ?? Infinity) <= now) this.next.begin += 1;
    }
    const { settings } = this;
    if (!settings || !isAutoscaled(this.repeated.spec)) return;
    const from = now - settings.windowSeconds * 1000;
    while ((demand[this.next.first]?.at ?? Infinity) <= from) this.next.first += 1;
    while ((demand[this.next.last]?.at ?? Infinity) <= now) this.next.last += 1;
    const decision = autoscaleContainerSet(this.repeated, {
      now,
      samples: demand.slice(this.next.first, this.next.last),
      memory: this.memory,
      paused: pauses.some(pause => pause.from <= now && now < pause.to),
      operationId: `backtest-${this.steps}`,
      onEvaluated: ({ memory }) => (this.memory = memory),
      policies: policies.findLast(each => each.from <= now)?.policies ?? {},
    });
    const [step] = decision.ok ? decision.events : [];
    if (step?.type !== 'ContainerSetResized' || !this.hasBegun) return;
    this.steps += 1;
    const taken = this.stepOfThen(now);
    if (taken?.desired === step.data.desired) this.take(taken.event, taken.time);
    else {
      // nothing of the past shows when it would have succeeded
      this.take(step, instantOf(now));
      this.take(operationEnded(step.data.operation.id, 'SUCCEEDED'), instantOf(now));
    }
    this.note(this.course, this.repeated, changeOf(step));
  }

  /** Returns the step that the autoscaler took by the evaluation at that instant. */
  private stepOfThen(now: number) {
    const { events } = this.history;
    for (let i = this.next.event; i < events.length; i += 1) {
      const { event, time } = events[i] ?? {};
      if (event === undefined || time === undefined || instantMs(time) > now + LATEST_STEP_MS) return undefined;
      if (event.type !== 'ContainerSetResized' || event.data.cause.load === undefined) continue;
      if (instantMs(event.data.cause.load.at) === now) return { event, time, desired: event.data.desired };
    }
    return undefined;
  }

  private take(event: ContainerSetEvent, time: string): void {
    this.repeated = containerSetStream.evolve(this.repeated, event, time);
  }

  private note({ points }: Course, { spec, turns }: ContainerSetState, reason: string): void {
    const { last } = turns;
    if (points.at(-1)?.desired === spec.desired || !last) return;
    points.push({ at: instantMs(last.at), desired: spec.desired, reason, isOwn: last.by === undefined });
  }

  private noteSettings({ settings: noted }: Course, state: ContainerSetState, at: number): void {
    const { autoscaling: settings } = state.spec;
    const { resources: limits } = contentsFrom(revisionOf(state));
    const last = noted.at(-1);
    if (last?.settings !== settings || last?.limits !== limits) noted.push({ at, settings, limits });
  }
}

const withSettings = (state: ContainerSetState, autoscaling: SetAutoscaling): ContainerSetState => ({
  ...state,
  spec: { ...state.spec, autoscaling },
});

function changeOf(event: ContainerSetEvent): string {
  if (event.type === 'ContainerSetResized')
    return event.data.cause.load?.reason ?? `${event.data.cause.kind} by ${event.data.cause.by ?? 'somebody'}`;
  return event.type === 'ContainerSetUpdated' ? 'the set was changed' : 'a member was removed, or a change cancelled';
}
