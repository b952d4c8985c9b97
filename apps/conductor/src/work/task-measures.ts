import { begin, counter, gauge, isTraced, timings, traceparent, WORK_SECONDS } from '@stave/platform';
import type { Counters } from '../conductor.context.js';

const taskSeconds = timings(
  {
    name: 'stave_task_duration_seconds',
    help: 'Time of an attempt on a conductor, from the arrival of its task to the answer to its report; `dropped`: the conductor had lost the claim',
    labels: ['driver', 'kind', 'outcome'],
  },
  WORK_SECONDS,
);
const stepSeconds = timings(
  {
    name: 'stave_driver_step_duration_seconds',
    help: 'Time that a driver spent in a step of an attempt; `begin` is before its first step, `other` are the steps of a driver that names too many',
    labels: ['driver', 'step'],
  },
  WORK_SECONDS,
);
const inFlight = gauge({
  name: 'stave_conductor_tasks_in_flight',
  help: 'Tasks that the conductors of this process run',
  labels: [],
});
const sessions = counter({
  name: 'stave_conductor_sessions_total',
  help: 'Sessions that the conductors of this process have begun; more than one each: sessions were lost',
  labels: [],
});
const swept = counter({
  name: 'stave_orphans_removed_total',
  help: 'Units that belonged to no resource and were removed',
  labels: ['driver'],
});

export const countSession = (): void => sessions({});
export const countOrphan = (driver: string): void => swept({ driver });

export const observeTasks = (counters: Counters): void =>
  void inFlight.from({}, counters, ({ inFlight: tasks }) => tasks);

/** What drivers call their steps becomes a label: a driver that puts names into it must not fill the memory of Prometheus. */
const MOST_STEPS = 50;
const known = new Map<string, Set<string>>();

function stepLabel(driver: string, step: string): string {
  const steps = known.get(driver) ?? new Set<string>();
  known.set(driver, steps);
  if (steps.size >= MOST_STEPS && !steps.has(step)) return 'other';
  steps.add(step);
  return step;
}

/** Measures one attempt: the time of each step, and of the whole. Steps of a driver are in words without names. */
export class AttemptMeasure {
  private readonly begun = performance.now();
  private stepBegun = this.begun;
  private step = 'begin';
  private readonly parent = isTraced() ? traceparent() : undefined;
  private span: ReturnType<typeof begin>['span'] | undefined;

  constructor(
    private readonly driver: string,
    private readonly kind: string,
  ) {
    this.span = this.beginSpan();
  }

  /** Another step begins. */
  next(step: string): void {
    if (step === this.step) return;
    this.endStep();
    this.step = step;
    this.span = this.beginSpan();
  }

  /** The driver has ended. */
  endStep(): void {
    const now = performance.now();
    const step = this.step === 'begin' ? 'begin' : stepLabel(this.driver, this.step);
    stepSeconds({ driver: this.driver, step }, (now - this.stepBegun) / 1_000);
    this.stepBegun = now;
    this.span?.end();
  }

  private beginSpan(): ReturnType<typeof begin>['span'] | undefined {
    const { parent, driver, step } = this;
    if (parent === undefined) return undefined;
    const attributes = { 'stave.driver': driver };
    return begin(`step ${step === 'begin' ? step : stepLabel(driver, step)}`, { parent, attributes }).span;
  }

  end(outcome: string): void {
    const { driver, kind } = this;
    taskSeconds({ driver, kind, outcome }, (performance.now() - this.begun) / 1_000);
  }
}
