import { blankMemory } from '../autoscaling/autoscale-set.js';
import type { DemandSample } from '../autoscaling/demand.js';
import { completeAutoscaling, type GivenAutoscaling } from '../autoscaling/set-autoscaling.js';
import { instantMs } from '../kernel/instant.js';
import { autoscaleContainerSet, evaluateSet } from './autoscale-container-set.js';
import { createContainerSet, removeSetMember, updateContainerSet } from './container-set-decider.js';
import type { ContainerSetState } from './container-set-state.js';
import { ends, runningSet } from './running-set.fixture.js';
import { cancelSetOperation, resizeContainerSet, rollContainerSet } from './set-actions.js';
import { source, type SetSimulation } from './set-simulation.fixture.js';

const SECOND = 1_000;
const settings = (more: GivenAutoscaling = {}) =>
  completeAutoscaling({ enabled: true, metrics: [{ resource: 'cpu', target: 0.5 }], ...more });

const following = (more: GivenAutoscaling = {}) =>
  runningSet({ desired: 4, min: 1, max: 20, autoscaling: settings(more) });

/** The demand of all members at this instant, each past its warm-up. */
const demand = ({ now, state }: SetSimulation, cpu: number): readonly DemandSample[] => [
  { at: now, known: state.members.size, others: 0, use: { cpu, memory: 0 } },
];

let operations = 0;
function scale(set: SetSimulation, cpu: number, more: object = {}): void {
  const input = { now: set.now, samples: demand(set, cpu), memory: blankMemory, paused: false, ...more };
  set.take(state => autoscaleContainerSet(state, { ...input, operationId: `a-${(operations += 1)}` }));
}
const resize = (set: SetSimulation, number: number, by: string): void => {
  const adjustment = { type: 'exact', number } as const;
  set.take(state => resizeContainerSet(state, { adjustment, operationId: `r-${(operations += 1)}`, by }));
};
const evaluated = (set: SetSimulation, cpu: number, more: object = {}) =>
  evaluateSet(set.state, set.state.spec.autoscaling!, {
    now: set.now,
    samples: demand(set, cpu),
    memory: blankMemory,
    paused: false,
    ...more,
  });
const patch = (set: SetSimulation, changes: Parameters<typeof updateContainerSet>[1]['changes']) =>
  updateContainerSet(set.state, { changes, operationId: 'p', by: 'ann' });
const codes = (decision: ReturnType<typeof updateContainerSet>) =>
  decision.ok
    ? []
    : (decision.refusal.errors ?? [{ pointer: '', code: decision.refusal.code }]).map(e => [e.pointer, e.code]);

describe('a container set that follows its load', () => {
  it('is resized with the numbers that decided, and the operation ends when the members are there', () => {
    const set = following();
    scale(set, 4);
    const [resized] = set.of('ContainerSetResized');
    expect(resized?.data).toMatchObject({
      desired: 8,
      cause: {
        kind: 'autoscaler',
        load: { from: 4, recommended: 8, stabilised: 8, metrics: [{ resource: 'cpu', use: 4, ratio: 2, known: 4 }] },
      },
      operation: { kind: 'container-set.autoscale', total: 4 },
    });
    set.run(60 * SECOND);
    expect(set.state).toMatchObject({ status: 'ACTIVE', operations: [], turns: { last: { from: 4, to: 8 } } });
    expect(set.state.scaledAt.out).toBeDefined();
  });

  it('decides nothing while nothing is needed, and for a set that is deleted or does not follow its load', () => {
    const set = following();
    scale(set, 2);
    const other = runningSet({ desired: 4, max: 20 });
    scale(other, 9);
    const off = runningSet({ desired: 4, max: 20, autoscaling: settings({ enabled: false }) });
    scale(off, 9);
    for (const each of [set, other, off]) expect(each.of('ContainerSetResized')).toEqual([]);
    expect(evaluated(off, 9).state).toBe('disabled');
  });

  it('names the policy that shaped the step', () => {
    const set = following();
    const out = {
      adjustment: { type: 'change', number: 1 } as const,
      cooldownSeconds: 600,
      policyId: 'p1',
      policyRevision: 3,
    };
    scale(set, 8, { policies: { out } });
    expect(set.of('ContainerSetResized')[0]?.data).toMatchObject({
      desired: 5,
      cause: { policyId: 'p1', policyRevision: 3 },
    });
    set.run(60 * SECOND);
    const held = evaluated(set, 8, { policies: { out } });
    expect(held).toMatchObject({ state: 'held', desired: 5 });
    expect(held.heldUntil).toBe(instantMs(set.state.scaledAt.out!) + 600 * SECOND);
  });

  it('has no cooldown after a change that failed, and decides again at the next evaluation', () => {
    const set = following();
    const policies = { out: { adjustment: { type: 'change', number: 2 } as const, cooldownSeconds: 3600 } };
    // what it adds finds no node
    set.startMs = () => Infinity;
    scale(set, 8, { policies });
    set.run(601 * SECOND);
    expect(ends(set).at(-1)).toEqual(['FAILED', 'no-progress-in-time']);
    expect(set.state).toMatchObject({ spec: { desired: 6 }, scaledAt: {} });
    expect(evaluated(set, 8, { policies })).toMatchObject({ desired: 8 });
    set.startMs = () => SECOND;
    scale(set, 8, { policies });
    for (const unit of set.units.values()) unit.due = Math.min(unit.due, set.now);
    set.run(60 * SECOND);
    expect(ends(set).at(-1)).toEqual(['SUCCEEDED', undefined]);
    expect(evaluated(set, 12, { policies })).toMatchObject({ state: 'held', desired: 8 });
  });

  it('holds while a user has resized it, its cluster is paused, or its members fail', () => {
    const set = following();
    resize(set, 6, 'ann');
    set.run(60 * SECOND);
    expect(evaluated(set, 9)).toMatchObject({ state: 'held', desired: 6, reason: 'it was resized by ann' });
    expect(evaluated(set, 9).heldUntil).toBe(instantMs(set.state.turns.resizedAt!) + 300 * SECOND);
    set.run(241 * SECOND);
    expect(evaluated(set, 9).state).toBe('scalingOut');
    expect(evaluated(set, 9, { paused: true })).toMatchObject({ state: 'held', reason: 'the cluster is paused' });
    const back: ContainerSetState = {
      ...set.state,
      rollout: { ...({} as NonNullable<ContainerSetState['rollout']>), goingBack: true },
    };
    const input = { now: set.now, samples: demand(set, 9), memory: blankMemory, paused: false };
    expect(evaluateSet(back, settings(), input).reason).toBe('the rollout goes back');
    const failing = { ...set.state, backoffUntil: new Date(set.now + 5_000).toISOString() };
    expect(evaluateSet(failing, settings(), input)).toMatchObject({ state: 'held', heldUntil: set.now + 5_000 });
  });

  it('counts the removal of a member and a cancellation as changes by a user', () => {
    const set = following({ manualHoldSeconds: 60 });
    const operation = { id: 'rm', kind: 'container.delete', total: 1 };
    const [member] = set.staying;
    set.take(state => removeSetMember(state, { memberId: member!.id, operation, reduceDesired: true, by: 'ann' }));
    expect(set.state.turns.last).toMatchObject({ from: 4, to: 3, by: 'ann' });
    set.run(120 * SECOND);
    scale(set, 4);
    expect(set.state.spec.desired).toBeGreaterThan(3);
    set.take(state => cancelSetOperation(state, state.lastOperationId));
    expect(set.state.turns.last).toMatchObject({ to: 3, by: 'somebody' });
    expect(evaluated(set, 9)).toMatchObject({ state: 'held', reason: 'it was resized' });
    const named = following();
    scale(named, 4);
    named.take(state => cancelSetOperation(state, state.lastOperationId, 'bob'));
    expect(evaluated(named, 9)).toMatchObject({ state: 'held', reason: 'it was resized by bob' });
  });

  it('holds when the removal of a member is aborted, which would be asked for again and again otherwise', () => {
    const set = following();
    const [member] = set.staying;
    set.append([{ type: 'MembersReleased', data: { memberIds: [member!.id], outcome: 'aborted', desired: 5 } }]);
    expect(set.state.turns.last).toMatchObject({ from: 4, to: 5, by: 'somebody' });
    expect(evaluated(set, 9)).toMatchObject({ state: 'held', desired: 5 });
  });

  it('yields for an hour to whoever changes the number back and forth with it, and names them', () => {
    const set = following({ manualHoldSeconds: 0 });
    scale(set, 4);
    resize(set, 4, 'ann');
    set.run(60 * SECOND);
    scale(set, 4);
    expect(evaluated(set, 4).contention).toBeUndefined();
    resize(set, 4, 'bob');
    const contended = evaluated(set, 9);
    expect(contended).toMatchObject({ state: 'contended', desired: 4, contention: { actor: 'bob' } });
    const { resizedAt } = set.state.turns;
    expect(contended.heldUntil).toBe(instantMs(resizedAt!) + 3_600 * SECOND);
    // further changes by a user are no further alternations
    for (let i = 0; i < 6; i++) resize(set, 5 + i, 'bob');
    expect(evaluated(set, 9).heldUntil).toBe(contended.heldUntil);
    set.run(3_601 * SECOND);
    expect(evaluated(set, 20).state).toBe('scalingOut');
  });

  it('refuses another desired number by a patch, and moves it with its bounds', () => {
    const set = following();
    expect(codes(patch(set, { desired: 6 }))).toEqual([['', 'autoscaled']]);
    set.take(() => patch(set, { max: 3 }));
    expect(set.state.spec).toMatchObject({ desired: 3, max: 3 });
    expect(set.state.turns.last).toMatchObject({ from: 4, to: 3, by: 'ann' });
    set.take(() => patch(set, { min: 5, max: 9 }));
    expect(set.state.spec.desired).toBe(5);
    expect(codes(patch(set, { min: 6, max: 5 }))).toContainEqual(['/min', 'min-above-max']);
    set.take(() => patch(set, { desired: 7, autoscaling: null }));
    expect(set.state.spec.desired).toBe(7);
    expect(set.state.spec.autoscaling).toBeUndefined();
    set.take(() => patch(set, { desired: 6, autoscaling: settings() }));
    expect(set.state.spec.desired).toBe(6);
  });

  it('needs a maximum, a metric, and a limit of what it follows, also after a roll', () => {
    const memory = settings({ metrics: [{ resource: 'memory', target: 0.5 }] });
    const unlimited = source('web:1', { overrides: { resources: { cpus: 1 } } });
    const declared = { id: 's', name: 's', projectId: 'p', clusterId: 'c', source: unlimited };
    const { spec } = runningSet().state;
    const operation = { id: 'o', kind: 'x', total: 1 };
    const refused = createContainerSet({ ...declared, spec: { ...spec, autoscaling: memory }, operation });
    expect(codes(refused)).toEqual([
      ['/max', 'required'],
      ['/autoscaling/metrics/0/resource', 'limit-required'],
    ]);
    const set = following();
    expect(codes(patch(set, { max: null }))).toEqual([['/max', 'required']]);
    const incomplete = patch(set, { autoscaling: settings({ metrics: [] }) });
    expect(codes(incomplete)).toEqual([['/autoscaling/metrics', 'required']]);
    expect(incomplete).toMatchObject({ refusal: { kind: 'invalid', code: 'validation-failed' } });
    const other = source('web:2', { overrides: { resources: { memoryMb: 64 } } });
    const rolled = rollContainerSet(set.state, { source: other, operationId: 'o' });
    expect(codes(rolled)).toEqual([['/autoscaling/metrics/0/resource', 'limit-required']]);
  });
});
