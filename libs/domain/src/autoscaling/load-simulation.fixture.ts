import { autoscaleSet, blankMemory, type AutoscalerMemory, type SetLoad, type SetScaling } from './autoscale-set.js';
import type { DemandSample } from './demand.js';
import { defaultSetAutoscaling, type SetAutoscaling } from './set-autoscaling.js';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export const settings = (more: Partial<SetAutoscaling> = {}): SetAutoscaling => ({
  ...defaultSetAutoscaling,
  enabled: true,
  metrics: [{ resource: 'cpu', target: 0.5 }],
  ...more,
});

/** Returns numbers from 0 to 1 that follow from the seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The demand rises and falls evenly within each period. Shares of `most`. */
export const sawtooth = (periodMs: number, most: number, least = 0.2) => {
  return (ms: number): number => {
    const part = (ms % periodMs) / periodMs;
    const share = part < 0.5 ? 2 * part : 2 - 2 * part;
    return most * (least + (1 - least) * share);
  };
};

interface Options {
  readonly settings?: SetAutoscaling;
  /** CPUs that all members need together. */
  readonly demand: (ms: number) => number;
  readonly desired?: number;
  readonly load?: Partial<SetLoad>;
}

interface Member {
  readonly activeAt: number;
}

const START_MS = 10 * SECOND;
const SAMPLE_MS = 5 * SECOND;

/** A set with a simulated clock whose members share a demand evenly, each with a limit of one CPU. */
export class LoadSimulation {
  desired: number;
  now = 0;
  members: Member[];
  /** Members beyond the desired ones that a rollout has started. */
  surging = 0;
  readonly changes: { readonly at: number; readonly from: number; readonly to: number }[] = [];
  last: SetScaling | undefined;
  private readonly samples: DemandSample[] = [];
  private memory: AutoscalerMemory = blankMemory;

  constructor(private readonly options: Options) {
    this.desired = options.desired ?? 4;
    this.members = Array.from({ length: this.desired }, () => ({ activeAt: -HOUR }));
  }

  run(ms: number): void {
    const { intervalSeconds } = this.options.settings ?? settings();
    for (const end = this.now + ms; this.now < end;) {
      this.now += SAMPLE_MS;
      this.sample();
      if (this.now % (intervalSeconds * SECOND) === 0) this.evaluate();
    }
  }

  /** The memory of the autoscaler is lost. */
  restart(): void {
    this.memory = blankMemory;
  }

  /** How often the direction of the changes turned. */
  get reversals(): number {
    const signs = this.changes.map(({ from, to }) => Math.sign(to - from));
    return signs.filter((sign, i) => i > 0 && sign !== signs[i - 1]).length;
  }

  private sample(): void {
    const wanted = this.desired + this.surging;
    while (this.members.length < wanted) this.members.push({ activeAt: this.now + START_MS });
    this.members.length = wanted;
    const { warmUpSeconds, windowSeconds } = this.options.settings ?? settings();
    const active = this.members.filter(({ activeAt }) => activeAt <= this.now);
    const known = active.filter(({ activeAt }) => activeAt + warmUpSeconds * SECOND <= this.now).length;
    const each = active.length === 0 ? 0 : Math.min(1, this.options.demand(this.now) / active.length);
    this.samples.push({
      at: this.now,
      known,
      others: active.length - known,
      use: { cpu: known * each, memory: known * each * 100 },
    });
    while ((this.samples[0]?.at ?? this.now) <= this.now - windowSeconds * SECOND) this.samples.shift();
  }

  private evaluate(): void {
    const { desired, now, samples } = this;
    const load = { now, desired, samples, min: 1, max: 100, limits: { cpus: 1, memoryMb: 200 }, ...this.options.load };
    this.last = autoscaleSet(this.options.settings ?? settings(), load, this.memory);
    this.memory = this.last.memory;
    if (this.last.desired === desired) return;
    this.changes.push({ at: now, from: desired, to: this.last.desired });
    this.desired = this.last.desired;
  }
}
