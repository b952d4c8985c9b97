import { autoscaleSet, blankMemory, type AutoscalerMemory, type SetLoad } from './autoscale-set.js';
import { SECOND, settings } from './load-simulation.fixture.js';
import type { SetAutoscaling } from './set-autoscaling.js';

const NOW = 10_000_000;

/** CPUs in use by the known members, each with a limit of one CPU and a target of 0.5 of it. */
interface Use {
  readonly cpu: number;
  readonly known?: number;
  readonly others?: number;
  readonly memory?: number;
}

const covered = (seconds: number, ...recommended: readonly number[]): AutoscalerMemory => ({
  since: NOW - seconds * SECOND,
  evaluations: recommended.map((each, i) => ({ at: NOW - (recommended.length - i) * 15 * SECOND, recommended: each })),
});

const evaluate = (
  desired: number,
  { cpu, known = desired, others = 0, memory }: Use,
  more: { load?: Partial<SetLoad>; memory?: AutoscalerMemory; settings?: Partial<SetAutoscaling> } = {},
) => {
  const use = memory === undefined ? { cpu } : { cpu, memory };
  const load: SetLoad = {
    now: NOW,
    desired,
    min: 1,
    max: 50,
    limits: { cpus: 1, memoryMb: 100 },
    samples: [{ at: NOW, known, others, use }],
    ...more.load,
  };
  return autoscaleSet(settings(more.settings), load, more.memory ?? blankMemory);
};
const reason = (...of: Parameters<typeof evaluate>): string => evaluate(...of).reason;

describe('the reason of an evaluation', () => {
  it('of a change has the number that the demand needs now, and that of the window where it differs', () => {
    const shrinks = evaluate(4, { cpu: 0.4 }, { memory: covered(300, 2, 1) });
    expect(shrinks).toMatchObject({ recommended: 1, stabilised: 2, desired: 2 });
    expect(shrinks.reason).toBe('the demand needs 1 member; the most of the last 300 s is 2');
    const slow = { scaleOut: { stabilisationSeconds: 60 } };
    const grows = evaluate(4, { cpu: 3.9 }, { memory: covered(60, 6, 5, 7), settings: slow });
    expect(grows).toMatchObject({ recommended: 8, stabilised: 5 });
    expect(grows.reason).toBe('the demand needs 8 members; the least of the last 60 s is 5');
    expect(reason(4, { cpu: 2.9 })).toBe('the demand needs 6 members');
  });

  it('says what limits a change, the tightest of the limits', () => {
    const out = (adjustment: { type: 'change'; number: number }) => ({
      policies: { out: { adjustment, cooldownSeconds: 60 } },
    });
    const one = out({ type: 'change', number: 1 });
    const limits = {
      step: reason(4, { cpu: 3.9 }, { settings: { scaleOut: { stabilisationSeconds: 0, maxStep: 2 } } }),
      policy: reason(4, { cpu: 3.9 }, { load: one }),
      maximum: reason(4, { cpu: 3.9 }, { load: { max: 6 } }),
      atMaximum: reason(4, { cpu: 3.9 }, { load: { max: 4 } }),
      quota: reason(4, { cpu: 3.9 }, { load: { quotaLeft: 1 } }),
      noQuota: reason(4, { cpu: 3.9 }, { load: { quotaLeft: 0 } }),
      cooldown: reason(4, { cpu: 3.9 }, { load: { ...one, scaledAt: { out: NOW - SECOND } } }),
      down: reason(9, { cpu: 0.4 }, { memory: covered(300, 1) }),
      minimum: reason(4, { cpu: 0.4 }, { memory: covered(300, 1), load: { min: 3 } }),
    };
    expect(limits).toEqual({
      step: 'the demand needs 8 members; one step adds 2 members at most (maxStep)',
      policy: 'the demand needs 8 members; the scaling policy adds 1 member at most',
      maximum: 'the demand needs 8 members; the maximum is 6',
      atMaximum: 'the demand needs 8 members; the maximum is 4',
      quota: 'the demand needs 8 members; the quota of the project allows 1 more',
      noQuota: 'the demand needs 8 members; the quota of the project is used up',
      cooldown: 'the demand needs 8 members; the cooldown of the direction out runs',
      down: 'the demand needs 1 member; one step removes 5 members at most (maxStep)',
      minimum: 'the demand needs 1 member; the minimum is 3',
    });
  });

  it('of a number that stays is the tolerance only where the use is within it', () => {
    expect(reason(4, { cpu: 1.9 })).toBe('the use of cpu is 95 % of its target, within the tolerance of 10 %');
    expect(reason(3, { cpu: 1.25 })).toBe(
      'the use of cpu is 83.3 % of its target, and with 2 members it would be above the target',
    );
    expect(reason(1, { cpu: 0.1 })).toBe('the use of cpu is 20 % of its target, and any use needs 1 member');
    expect(reason(4, { cpu: 1, known: 2, others: 2 })).toBe(
      'the use of cpu is 50 % of its target, and members that run without a sample count with the full target',
    );
  });

  it('says how long a need has to last', () => {
    expect(reason(4, { cpu: 0.4 })).toBe(
      'the demand needs 1 member; the set shrinks once it has needed fewer than 4 for 300 s',
    );
    const slow = { scaleOut: { stabilisationSeconds: 60 } };
    expect(reason(4, { cpu: 2.9 }, { settings: slow })).toBe(
      'the demand needs 6 members; the set grows once it has needed more than 4 for 60 s',
    );
  });

  it('says that members which use all that they may can need more', () => {
    expect(reason(4, { cpu: 3.95 })).toMatch(/the members use all cpu that they may/);
    expect(reason(4, { cpu: 3.9 })).not.toMatch(/all/);
    const full = { metrics: [{ resource: 'cpu', target: 1 }] } as const;
    expect(reason(4, { cpu: 4 }, { settings: full })).toMatch(/100 % of its target.*; the members use all cpu/);
  });

  it('names the metrics that decide, and those of which nothing is known', () => {
    const both: Pick<SetAutoscaling, 'metrics'> = {
      metrics: [
        { resource: 'cpu', target: 0.5 },
        { resource: 'memory', target: 0.8 },
      ],
    };
    const memory = reason(4, { cpu: 0.4, memory: 320 }, { settings: both });
    expect(memory).toBe('the use of memory is 100 % of its target, within the tolerance of 10 %');
    expect(reason(4, { cpu: 0.4 }, { settings: both })).toBe('nothing is known of memory, so no member is taken away');
  });

  it('names who changes the number back and forth with the autoscaler', () => {
    const { state, reason: why } = evaluate(4, { cpu: 4 }, { load: { contendedBy: 'ann' } });
    expect([state, why]).toEqual([
      'contended',
      'ann changes the number back and forth with the autoscaler, which yields',
    ]);
  });
});
