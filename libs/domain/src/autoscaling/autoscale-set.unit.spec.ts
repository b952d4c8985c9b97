import { autoscaleSet, blankMemory, type AutoscalerMemory, type SetLoad } from './autoscale-set.js';
import { contentionIn } from './contention.js';
import { demandOf, type DemandSample } from './demand.js';
import { MINUTE, SECOND, settings } from './load-simulation.fixture.js';
import { autoscalingProblems, type SetAutoscaling } from './set-autoscaling.js';

const NOW = 10_000_000;
const limits = { cpus: 1, memoryMb: 100 };
const sample = (cpu: number, known: number, others = 0, memory = 0): DemandSample => {
  return { at: NOW, known, others, use: { cpu, memory } };
};
const need = (samples: readonly DemandSample[], desired: number, metrics = settings().metrics) =>
  demandOf(samples, { metrics, tolerance: 0.1 }, { desired, limits }).recommended;

describe('the demand of a set', () => {
  it('is rounded up, and nothing changes within the tolerance', () => {
    expect(need([sample(2.2, 4)], 4)).toBe(4);
    expect(need([sample(2.21, 4)], 4)).toBe(5);
    expect(need([sample(3, 4)], 4)).toBe(6);
    expect(need([sample(1.8, 4)], 4)).toBe(4);
    expect(need([sample(1.5, 4)], 4)).toBe(3);
    expect(need([sample(0.1 * 3, 1)], 4)).toBe(1);
  });

  it('is the mean of the sums of the window, not the sum of means', () => {
    // the load moved from one pair of members to another; each had it half of the time
    expect(need([sample(2, 2), sample(2, 4), sample(2, 2)], 4)).toBe(4);
  });

  it('of members that warm up is nothing for more members, and the target for fewer', () => {
    expect(need([sample(2, 2, 10)], 4)).toBe(4);
    expect(need([sample(1, 2, 2)], 4)).toBe(4);
    expect(need([sample(1, 4, 0)], 4)).toBe(2);
  });

  it('is the largest of the metrics, and allows nothing to be taken away while one is unknown', () => {
    const both: SetAutoscaling['metrics'] = [
      { resource: 'cpu', target: 0.5 },
      { resource: 'memory', target: 0.8 },
    ];
    expect(need([sample(1, 4, 0, 480)], 4, both)).toBe(6);
    expect(need([sample(3, 4, 0, 80)], 4, both)).toBe(6);
    expect(need([sample(0.1, 4, 0, 80)], 4, both)).toBe(1);
    const onlyCpu = (cpu: number) => need([{ at: NOW, known: 4, others: 0, use: { cpu } }], 4, both);
    expect([onlyCpu(0.1), onlyCpu(3)]).toEqual([4, 6]);
    expect(need([sample(0, 0, 4)], 4, both)).toBeUndefined();
    expect(need([], 4, both)).toBeUndefined();
    expect(need([sample(1, 1)], 0)).toBe(0);
  });
});

describe('a set that follows its load', () => {
  const load = (cpu: number, more: Partial<SetLoad> = {}): SetLoad => {
    const { now = NOW, desired = 4 } = more;
    return { now, desired, min: 1, max: 50, limits, samples: [{ ...sample(cpu, desired), at: now }], ...more };
  };
  const scaled = (cpu: number, more: Partial<SetLoad> = {}, memory: AutoscalerMemory = blankMemory) => {
    const { desired, state } = autoscaleSet(settings(), load(cpu, more), memory);
    return [desired, state];
  };
  /** Evaluations every 15 s that recommended this number for so long. */
  const covered = (seconds: number, recommended: number): AutoscalerMemory => {
    const count = Math.ceil(seconds / 15);
    const evaluations = Array.from({ length: count }, (_, i) => ({ at: NOW - (count - i) * 15 * SECOND, recommended }));
    return { since: NOW - count * 15 * SECOND, evaluations };
  };

  it('scales out at once, by its own size but at least four', () => {
    expect(scaled(4)).toEqual([8, 'scalingOut']);
    expect(scaled(1, { desired: 1 })).toEqual([2, 'scalingOut']);
    expect(scaled(20, { desired: 1 })).toEqual([5, 'scalingOut']);
    expect(scaled(20, { desired: 10 })).toEqual([20, 'scalingOut']);
  });

  it('scales in only when evaluations cover the whole window, to the largest of them', () => {
    expect(scaled(0.4)).toEqual([4, 'steady']);
    expect(scaled(0.4, {}, covered(285, 1))).toEqual([4, 'steady']);
    expect(scaled(0.4, {}, covered(300, 3))).toEqual([3, 'scalingIn']);
    expect(scaled(0.4, {}, covered(300, 1))).toEqual([2, 'scalingIn']);
    const { evaluations } = covered(300, 1);
    expect(scaled(0.4, { now: NOW + MINUTE }, { since: NOW - 300 * SECOND, evaluations })).toEqual([4, 'steady']);
  });

  it('stops at its bounds, and at the quota', () => {
    expect(scaled(4, { max: 6 })).toEqual([6, 'scalingOut']);
    expect(scaled(4, { max: 4 })).toEqual([4, 'atMax']);
    expect(scaled(4, { quotaLeft: 1 })).toEqual([5, 'scalingOut']);
    expect(scaled(4, { quotaLeft: 0 })).toEqual([4, 'quotaLimited']);
    expect(scaled(0.4, { min: 4 }, covered(300, 1))).toEqual([4, 'atMin']);
  });

  it('a scaling policy limits the step, and its cooldown the time', () => {
    const policy = (adjustment: { type: 'change' | 'percentage'; number: number; minStep?: number }, ago = 1e9) => ({
      policies: { out: { adjustment, cooldownSeconds: 60 } },
      scaledAt: { out: NOW - ago },
    });
    expect(scaled(4, policy({ type: 'change', number: 1 }))).toEqual([5, 'scalingOut']);
    expect(scaled(4, policy({ type: 'percentage', number: 30 }))).toEqual([6, 'scalingOut']);
    expect(scaled(4, policy({ type: 'percentage', number: 1, minStep: 3 }))).toEqual([7, 'scalingOut']);
    expect(scaled(4, policy({ type: 'change', number: 9 }, 59_999))).toEqual([4, 'held']);
    expect(scaled(4, policy({ type: 'change', number: 9 }, 60_000))).toEqual([8, 'scalingOut']);
    expect(scaled(0.4, policy({ type: 'change', number: 1 }, 1), covered(300, 1))).toEqual([2, 'scalingIn']);
  });

  it('holds still while something else changes the members, yet keeps its bounds', () => {
    expect(scaled(4, { held: 'the rollout goes back' })).toEqual([4, 'held']);
    expect(scaled(4, { contendedBy: 'ann' })).toEqual([4, 'contended']);
    expect(scaled(4, { held: 'x', min: 5 })).toEqual([5, 'scalingOut']);
    expect(scaled(4, { held: 'x', max: 3 })).toEqual([3, 'scalingIn']);
    expect(scaled(4, { samples: [] })).toEqual([4, 'unknown']);
    expect(autoscaleSet(settings({ enabled: false }), load(9), blankMemory)).toMatchObject({
      desired: 4,
      state: 'disabled',
    });
  });

  it('keeps the evaluations of its longer window only', () => {
    const { memory } = autoscaleSet(settings(), load(2), covered(3000, 4));
    expect(memory.evaluations).toHaveLength(21);
  });
});

describe('two that change the number of one set', () => {
  const at = (...times: readonly [minutes: number, actor?: string][]) =>
    times.map(([minutes, actor]) => ({ at: minutes * MINUTE, ...(actor === undefined ? {} : { actor }) }));

  it('the autoscaler yields for an hour after three alternations in ten minutes, and names the other', () => {
    const changes = at([0], [1, 'cd'], [2], [3, 'cd']);
    expect(contentionIn(changes, 4 * MINUTE)).toEqual({ until: 63 * MINUTE, actor: 'cd' });
    expect(contentionIn(changes, 63 * MINUTE)).toBeUndefined();
    expect(contentionIn(changes.slice(1), 4 * MINUTE)).toBeUndefined();
  });

  it('slow alternations, and many changes of one of them, are none', () => {
    expect(contentionIn(at([0], [1, 'cd'], [8], [15, 'cd']), 16 * MINUTE)).toBeUndefined();
    expect(contentionIn(at([0], [1], [2], [3], [4, 'cd']), 5 * MINUTE)).toBeUndefined();
  });
});

describe('the settings of a set that follows its load', () => {
  const { enabled, metrics } = settings();
  const codes = (max: number | undefined, of: object, more = metrics) =>
    autoscalingProblems({ enabled, metrics: more }, { max, limits: of }).map(({ pointer, code }) => [pointer, code]);

  it('need a maximum, and a limit of each resource', () => {
    expect(codes(3, { cpus: 1 })).toEqual([]);
    const resource = '/autoscaling/metrics/0/resource';
    expect(codes(undefined, { memoryMb: 1 })).toEqual([
      ['/max', 'required'],
      [resource, 'limit-required'],
    ]);
    expect(codes(3, { cpus: 1 }, [...metrics, ...metrics])).toEqual([['/autoscaling/metrics/1/resource', 'duplicate']]);
    expect(autoscalingProblems({ enabled: false, metrics }, { limits: {} })).toEqual([]);
  });
});
