import { blankMemory, type AutoscalerMemory } from '../autoscaling/autoscale-set.js';
import type { DemandSample } from '../autoscaling/demand.js';
import { nextEvaluationMs } from '../autoscaling/evaluation-times.js';
import { HOUR, MINUTE, numbersFrom, sawtooth, SECOND } from '../autoscaling/load-simulation.fixture.js';
import { completeAutoscaling, type GivenAutoscaling, type SetAutoscaling } from '../autoscaling/set-autoscaling.js';
import { instantOf } from '../kernel/instant.js';
import { autoscaleContainerSet } from './autoscale-container-set.js';
import { SetBacktest, type PoliciesFrom, type SetHistory } from './backtest.js';
import { removeSetMember, updateContainerSet } from './container-set-decider.js';
import type { ScalingPolicy } from './set-policies.js';
import { resizeContainerSet } from './set-actions.js';
import { SetSimulation } from './set-simulation.fixture.js';

const PERIOD_MS = 10 * SECOND;
const APPLIED_AFTER_MS = 20;

const settings = (more: GivenAutoscaling = {}) =>
  completeAutoscaling({ enabled: true, metrics: [{ resource: 'cpu', target: 0.5 }], ...more });

/** A set that lives for some hours under a demand, with users who intervene and a process that restarts. */
class LivedSet {
  readonly set: SetSimulation;
  readonly demand: DemandSample[] = [];
  readonly begins: number[] = [];
  readonly pauses: { from: number; to: number }[] = [];
  private memory: AutoscalerMemory = blankMemory;
  private operations = 0;
  private readonly policies: PoliciesFrom[] = [];

  constructor(
    private readonly load: (ms: number) => number,
    policies: PoliciesFrom['policies'] = {},
    autoscaling: SetAutoscaling | null = settings(),
  ) {
    this.set = new SetSimulation({ desired: 4, min: 1, max: 40, ...(autoscaling && { autoscaling }) });
    this.begins.push(this.set.now);
    this.follow(policies);
  }

  /** From now on these policies of scaling hold. */
  follow(policies: PoliciesFrom['policies']): void {
    this.policies.push({ from: this.set.now, policies });
  }

  restart(): void {
    this.memory = blankMemory;
    this.begins.push(this.set.now);
  }

  run(ms: number): void {
    const { set } = this;
    for (const end = set.now + ms; set.now < end;) {
      const evaluation = nextEvaluationMs('set', set.state.spec.autoscaling?.intervalSeconds ?? 1, set.now);
      const sample = Math.floor(set.now / PERIOD_MS + 1) * PERIOD_MS;
      set.run(Math.min(evaluation, sample, end) - set.now);
      if (set.now === sample) this.sample();
      if (set.now === evaluation) this.evaluate();
    }
  }

  resize(number: number): void {
    const adjustment = { type: 'exact', number, bestEffort: true } as const;
    this.set.take(state => resizeContainerSet(state, { adjustment, operationId: this.id(), by: 'ann' }));
  }

  change(changes: Parameters<typeof updateContainerSet>[1]['changes']): void {
    this.set.take(state => updateContainerSet(state, { changes, operationId: this.id(), by: 'ann' }));
  }

  removeOne(): void {
    const [member] = this.set.staying;
    const operation = { id: this.id(), kind: 'container.delete', total: 1 };
    if (member)
      this.set.take(state =>
        removeSetMember(state, { memberId: member.id, operation, reduceDesired: true, by: 'ann' }),
      );
  }

  history(from: number, more: Partial<SetHistory> = {}): SetHistory {
    const { set, demand, begins, pauses, policies } = this;
    const since = from - HOUR;
    const later = set.log.filter(({ at }) => at > since);
    const state = later[0]?.before ?? set.state;
    const events = later.map(({ event, at }) => ({ event, time: instantOf(at) }));
    return { state, events, since, from, to: set.now, demand, begins, pauses, policies, ...more };
  }

  private id(): string {
    return `op-${(this.operations += 1)}`;
  }

  private sample(): void {
    const { set } = this;
    const running = set.members.filter(({ id }) => set.isAvailable(id)).length;
    const cpu = Math.min(running, this.load(set.now));
    const others = set.members.length - running;
    this.demand.push({ at: set.now, spanMs: PERIOD_MS, known: running, others, use: { cpu, memory: 0 } });
  }

  private evaluate(): void {
    const { set, demand, memory } = this;
    const now = set.now;
    const { policies = {} } = this.policies.at(-1) ?? {};
    const paused = set.paused;
    const operationId = this.id();
    const decision = autoscaleContainerSet(set.state, {
      ...{ now, samples: demand.slice(-60), memory, paused, policies, operationId },
      onEvaluated: evaluation => (this.memory = evaluation.memory),
    });
    if (!decision.ok || decision.events.length === 0) return;
    // the append takes some time
    set.run(APPLIED_AFTER_MS);
    set.take(() => decision);
  }
}

const repeated = (history: SetHistory) => {
  const backtest = new SetBacktest(history);
  for (let at = history.from; at < history.to; at += 7 * MINUTE) backtest.advance(at);
  return backtest.result();
};

describe('a backtest', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('of the settings in force repeats what happened, whatever users did: %d', seed => {
    const next = numbersFrom(seed);
    const teeth = sawtooth(20 * MINUTE, 12);
    const lived = new LivedSet(
      ms => teeth(ms) * (0.8 + 0.4 * next()),
      seed % 2 === 0
        ? { out: { adjustment: { type: 'change', number: 2 }, cooldownSeconds: 90, policyId: 'p', policyRevision: 1 } }
        : {},
    );
    const acts = [
      () => lived.resize(2 + Math.floor(next() * 20)),
      () => lived.removeOne(),
      () => lived.change({ min: 1 + Math.floor(next() * 5), max: 10 + Math.floor(next() * 20) }),
      () => lived.change({ autoscaling: settings({ tolerance: 0.05 + next() / 5, intervalSeconds: 15 }) }),
      () => lived.restart(),
      () => {
        lived.set.paused = true;
        lived.pauses.push({ from: lived.set.now, to: lived.set.now + 5 * MINUTE + 7 });
        lived.run(5 * MINUTE + 7);
        lived.set.paused = false;
      },
    ];
    lived.run(2 * HOUR);
    const from = lived.set.now;
    for (let i = 0; i < 10; i++) {
      // users do not act in the millisecond of an evaluation
      lived.run(Math.floor(next() * 25) * MINUTE + Math.floor(next() * 59) * SECOND + 137);
      acts[Math.floor(next() * acts.length)]?.();
    }
    lived.restart();
    lived.run(HOUR);
    const { actual, coverage, ...again } = repeated(lived.history(from));
    expect(again.timeline).toEqual(actual.timeline);
    expect(again).toEqual(actual);
    expect(again.changes).toBeGreaterThan(10);
    expect(coverage).toBeGreaterThan(0.99);
  });

  it('of the settings in force repeats what happened under policies that changed meanwhile', () => {
    const lived = new LivedSet(sawtooth(20 * MINUTE, 12));
    lived.run(HOUR);
    const from = lived.set.now;
    lived.run(HOUR);
    const slow: ScalingPolicy = { adjustment: { type: 'change', number: 1 }, cooldownSeconds: 120 };
    for (const policies of [{ out: slow }, { in: slow }, {}]) {
      lived.follow(policies);
      lived.run(HOUR);
    }
    const { actual, coverage: _coverage, ...again } = repeated(lived.history(from));
    expect(again).toEqual(actual);
    expect(repeated(lived.history(from, { policies: [] })).timeline).not.toEqual(actual.timeline);
  });

  it('of other settings decides otherwise, and shows what that would have cost', () => {
    const lived = new LivedSet(sawtooth(20 * MINUTE, 10));
    lived.run(2 * HOUR);
    const from = lived.set.now;
    lived.run(4 * HOUR);
    const slow = settings({ scaleIn: { stabilisationSeconds: 1800 } });
    const { actual, ...other } = repeated(lived.history(from, { autoscaling: slow }));
    expect(actual.reversals).toBeGreaterThan(10);
    expect(other.reversals).toBeLessThanOrEqual(1);
    expect(other.memberHours).toBeGreaterThan(actual.memberHours);
    expect(other.unmetSeconds).toBeLessThan(actual.unmetSeconds ?? NaN);
    const bold = repeated(
      lived.history(from, { autoscaling: settings({ metrics: [{ resource: 'cpu', target: 1 }] }) }),
    );
    expect(bold.memberHours).toBeLessThan(actual.memberHours);
    const step: ScalingPolicy = { adjustment: { type: 'change', number: 1 }, cooldownSeconds: 1200 };
    const limited = repeated(lived.history(from, { policies: [{ from: 0, policies: { out: step } }] }));
    expect(limited.unmetSeconds).toBeGreaterThan(actual.unmetSeconds ?? NaN);
  });

  it('shows of which time nothing is known, and when members used all that they may', () => {
    const lived = new LivedSet(() => 100);
    lived.run(4 * HOUR);
    const known = lived.demand.filter(({ at }) => at < lived.set.now - HOUR);
    const past = lived.history(lived.set.now - 2 * HOUR, { demand: known });
    const { coverage, saturatedSeconds } = repeated(past);
    expect(coverage).toBeCloseTo(0.5, 1);
    expect(saturatedSeconds).toBeGreaterThan(3000);
  });

  it('counts the seconds without a sample as not covered, at the beginning and in between', () => {
    const lived = new LivedSet(() => 1);
    lived.run(2 * HOUR);
    const from = lived.set.now - 10 * MINUTE;
    const covered = (known: (at: number) => boolean): number =>
      repeated(lived.history(from, { demand: lived.demand.filter(({ at }) => known(at)) })).coverage;
    expect(covered(() => true)).toBeCloseTo(1, 5);
    expect(covered(at => at > from + 20 * SECOND)).toBeCloseTo(580 / 600, 5);
    const [first, last] = [from + 3 * MINUTE, from + 3 * MINUTE + 40 * SECOND];
    expect(covered(at => at <= first || at > last)).toBeCloseTo(560 / 600, 5);
    expect(covered(at => at <= from)).toBe(0);
  });

  it('shows the same past whatever settings are tried, with no unmet demand where no target was in force', () => {
    const lived = new LivedSet(() => 3.9, {}, null);
    lived.run(3 * HOUR);
    const tried = (target: number) => {
      const autoscaling = settings({ metrics: [{ resource: 'cpu', target }] });
      return repeated(lived.history(lived.set.now - HOUR, { autoscaling }));
    };
    const [low, high] = [tried(0.3), tried(0.9)];
    expect(low.actual).toEqual(high.actual);
    expect(low.actual).toMatchObject({ changes: 0, unmetSeconds: null, saturatedSeconds: 0 });
    expect(low.unmetSeconds).toBeGreaterThan(0);
    expect(low.memberHours).toBeGreaterThan(high.memberHours);
  });

  it('takes for each instant the settings of that time, so that two halves add up to the whole', () => {
    const lived = new LivedSet(() => 6);
    lived.run(2 * HOUR);
    const from = lived.set.now;
    lived.change({ max: 8 });
    lived.run(HOUR);
    const middle = lived.set.now;
    lived.change({ autoscaling: settings({ metrics: [{ resource: 'cpu', target: 1 }] }) });
    lived.run(HOUR);
    const unmet = (history: SetHistory): number => repeated(history).actual.unmetSeconds ?? NaN;
    const first = unmet(lived.history(from, { to: middle }));
    const second = unmet(lived.history(middle));
    expect(first).toBeGreaterThan(3000);
    expect(second).toBeLessThan(300);
    expect(unmet(lived.history(from))).toBeCloseTo(first + second, 5);
  });
});
