import { blankMemory } from '../autoscaling/autoscale-set.js';
import { completeAutoscaling, type GivenAutoscaling } from '../autoscaling/set-autoscaling.js';
import { evaluateSet } from './autoscale-container-set.js';
import { runningSet } from './running-set.fixture.js';
import { resizeContainerSet, scaleContainerSet } from './set-actions.js';
import type { SetPolicies } from './set-policies.js';
import type { SetSimulation } from './set-simulation.fixture.js';
import { whyNotScaled } from './why-not-scaled.js';

const settings = (more: GivenAutoscaling = {}) =>
  completeAutoscaling({ enabled: true, metrics: [{ resource: 'cpu', target: 0.5 }], ...more });
const following = (more: GivenAutoscaling = {}, bounds: object = {}) =>
  runningSet({ desired: 4, min: 1, max: 20, ...bounds, autoscaling: settings(more) });

type Input = Partial<Parameters<typeof evaluateSet>[2]>;

function evaluation({ state, now }: SetSimulation, cpu: number, more: Input = {}) {
  const samples = [{ at: now, known: state.members.size, others: 0, use: { cpu, memory: 0 } }];
  const { autoscaling } = state.spec;
  if (!autoscaling) throw new Error('the set does not follow its load');
  return evaluateSet(state, autoscaling, { now, samples, memory: blankMemory, paused: false, ...more });
}
const why = (set: SetSimulation, cpu: number, more: Input = {}) =>
  whyNotScaled(set.state, { now: set.now, evaluation: evaluation(set, cpu, more) }).map(b => [b.direction, b.code]);
const both = (code: string) => [
  ['out', code],
  ['in', code],
];

describe('why a container set is not scaled', () => {
  it('a set that does not follow its load says so', () => {
    expect(whyNotScaled(runningSet().state, { now: 0 }).map(({ code }) => code)).toEqual(['DISABLED', 'DISABLED']);
    expect(why(following({ enabled: false }), 9)).toEqual(both('DISABLED'));
  });

  it('the demand, its absence, and what waits for its window', () => {
    const set = following();
    expect(why(set, 2)).toEqual(both('DEMAND'));
    expect(why(set, 0, { samples: [] })).toEqual(both('UNKNOWN'));
    expect(why(set, 0.5)).toEqual([
      ['out', 'DEMAND'],
      ['in', 'STABILISING'],
    ]);
    // what changes now is not explained
    expect(why(set, 9)).toEqual([['in', 'DEMAND']]);
  });

  it('bounds and quotas', () => {
    const set = following({ scaleIn: { stabilisationSeconds: 0 } }, { min: 4, max: 4 });
    expect(why(set, 9)).toEqual([
      ['out', 'AT_MAX'],
      ['in', 'DEMAND'],
    ]);
    expect(why(set, 0.1)).toEqual([
      ['out', 'DEMAND'],
      ['in', 'AT_MIN'],
    ]);
    expect(why(following(), 9, { quotaLeft: 0 })).toContainEqual(['out', 'QUOTA']);
  });

  it('a pause, and the hold after a resize', () => {
    const set = following();
    expect(why(set, 9, { paused: true })).toEqual(both('HELD'));
    set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number: 5 }, operationId: 'r', by: 'ann' }));
    expect(why(set, 9)).toEqual(both('HELD'));
  });

  it('a cooldown, of the autoscaler and of the action', () => {
    const policy = { adjustment: { type: 'change', number: 1 }, cooldownSeconds: 600 } as const;
    const set = following({ manualHoldSeconds: 0 });
    set.take(s => scaleContainerSet(s, { direction: 'out', count: 1, operationId: 'o', now: '' }));
    set.run(60_000);
    expect(why(set, 9, { policies: { out: policy } })).toEqual([
      ['out', 'COOLDOWN'],
      ['in', 'DEMAND'],
    ]);
    const plain = runningSet({ desired: 4, max: 9 });
    plain.take(s => scaleContainerSet(s, { direction: 'out', count: 1, operationId: 'o', now: '' }));
    plain.run(60_000);
    const blocks = whyNotScaled(plain.state, { now: plain.now, policies: { out: policy } });
    expect(blocks.map(b => b.code)).toEqual(['DISABLED', 'DISABLED', 'COOLDOWN']);
    expect(whyNotScaled(plain.state, { now: plain.now + 600_000, policies: { out: policy } })).toHaveLength(2);
  });

  it('members that wait for their release, and those whose removal failed', () => {
    const policies: SetPolicies = { deletion: { hook: { timeoutSeconds: 1000 } } };
    const set = runningSet({ desired: 3, policies });
    set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number: 2 }, operationId: 'in' }));
    set.run(60_000);
    expect(whyNotScaled(set.state, { now: set.now })[0]).toMatchObject({ direction: 'in', code: 'RELEASE_AWAITED' });
    const plain = runningSet({ desired: 3 });
    plain.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number: 2 }, operationId: 'in' }));
    plain.run(1);
    expect([...plain.state.members.values()].filter(m => m.leaving)).toHaveLength(1);
    const [block] = whyNotScaled(plain.state, { now: plain.now, stuck: () => 'the driver refuses' });
    expect(block).toMatchObject({ direction: 'in', code: 'REMOVAL_FAILED' });
  });
});
