import type { Decision } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { active, codeOf, take } from './group-decisions.fixture.js';
import type { Simulation } from './group-simulation.fixture.js';
import { rebuildNodeGroup } from './group-actions.js';
import { resizeNodeGroup } from './node-group-decider.js';
import type { NodeGroupEvent } from './node-group-events.js';
import {
  answerProposal,
  heldUntilMs,
  resizeNodeGroupBy,
  restsUntilMs,
  scaleNodeGroup,
  type ScaleProposal,
} from './scale-node-group.js';
import { updateNodeGroup } from './update-node-group.js';

const LATER = '2027-01-01T00:00:00.000Z';
const free = { now: LATER, paused: false, quotaLeft: Infinity };
const proposal = (sequence: number) => ({ proposalId: `p${sequence}`, sequence, from: 3 });
const grow = (sequence = 1, nodes = 2): ScaleProposal => ({ ...proposal(sequence), nodes });

/** A group of three nodes of at most six that the autoscaler may change. */
function scaled(more: object = {}): Simulation {
  const group = active(3);
  const changes = { minCount: 1, maxCount: 6, autoscaling: { enabled: true, ...more } };
  group.append({ type: 'NodeGroupUpdated', data: { changes: changes as never } });
  return group;
}
const answered = (group: Simulation, given: ScaleProposal, facts = free): readonly NodeGroupEvent[] => {
  const decision = answerProposal(group.state, given, facts);
  return decision.ok ? decision.events : [];
};
const codes = (group: Simulation, given: ScaleProposal, facts = free) =>
  answered(group, given, facts).map(e => (e.type === 'ScaleProposalRefused' ? e.data.code : e.type));

describe('a proposal of the autoscaler', () => {
  it('is carried out once, whatever comes twice or late', () => {
    const group = scaled();
    group.append(...answered(group, grow(2)));
    expect(group.state).toMatchObject({ spec: { count: 5 }, answered: 2, operations: [{ id: 'p2' }] });
    expect(answered(group, grow(2))).toEqual([]);
    expect(answered(group, grow(1))).toEqual([]);
    expect(heldUntilMs(group.state)).toBe(0);
  });

  it('is refused with what is in its way, and that answers it', () => {
    expect(codes(scaled(), { ...grow(), from: 2 })).toEqual(['stale']);
    expect(codes(active(3), grow())).toEqual(['stale']);
    expect(codes(scaled(), grow(1, 4))).toEqual(['at-max']);
    expect(codes(scaled(), grow(), { ...free, paused: true })).toEqual(['paused']);
    expect(codes(scaled(), grow(), { ...free, quotaLeft: 1 })).toEqual(['quota']);
    const rolling = scaled();
    take(rolling, rebuildNodeGroup(rolling.state, { operation: { id: 'r', kind: 'node-group.rebuild' } }));
    expect(codes(rolling, grow())).toEqual(['rolling']);
    rolling.append(...answered(rolling, grow(7)));
    expect(rolling.state).toMatchObject({ answered: 7, refused: { code: 'rolling' }, spec: { count: 3 } });
  });

  it('removes the nodes that it names, down to the minimum', () => {
    const group = scaled();
    const [first = '', second = '', third = ''] = group.memberIds();
    const without = (...nodeIds: string[]): ScaleProposal => ({ ...proposal(1), nodeIds });
    expect(codes(group, without(first, second, third))).toEqual(['at-min']);
    expect(codes(group, without('other'))).toEqual(['stale']);
    group.append(...answered(group, without(first, second)));
    expect(group.state.spec.count).toBe(1);
    expect([...group.state.members.values()].filter(m => m.leaving).map(m => m.id)).toEqual([first, second]);
  });
});

describe('a user and the autoscaler', () => {
  const count = (group: Simulation, decision: Decision<NodeGroupEvent>): number => {
    take(group, decision);
    return group.state.spec.count;
  };
  const by = (adjustment: Parameters<typeof resizeNodeGroupBy>[1]['adjustment']) => ({ adjustment, operationId: 'u' });

  it('a resize holds the autoscaler for a while', () => {
    const group = scaled({ manualHoldSeconds: 60 });
    expect(count(group, resizeNodeGroupBy(group.state, by({ type: 'change', number: 1 })))).toBe(4);
    const held = heldUntilMs(group.state);
    const during = { ...free, now: new Date(held - 1).toISOString() };
    expect(codes(group, { ...grow(), from: 4 }, during)).toEqual(['stale']);
    const after = { ...free, now: new Date(held).toISOString() };
    expect(codes(group, { ...grow(), from: 4 }, after)).toEqual(['NodeGroupResized']);
  });

  it('a resize keeps the bounds, or takes them where it may; no difference changes nothing', () => {
    const group = scaled();
    const resized = (adjustment: Parameters<typeof by>[0]) => resizeNodeGroupBy(group.state, by(adjustment));
    expect(codeOf(resized({ type: 'change', number: 4 }))).toBe('outside-bounds');
    expect(codeOf(resized({ type: 'exact', number: 0 }))).toBe('outside-bounds');
    expect(resized({ type: 'exact', number: 3 })).toEqual({ ok: true, events: [] });
    expect(count(group, resized({ type: 'percentage', number: 1, minStep: 2 }))).toBe(5);
    expect(count(group, resized({ type: 'change', number: -9, bestEffort: true }))).toBe(1);
  });

  it('scales in a direction by the number that is given', () => {
    const group = scaled();
    const scale = (direction: 'out' | 'in', number?: number) =>
      scaleNodeGroup(group.state, { direction, operationId: 'u', now: LATER, ...omitUndefined({ count: number }) });
    expect(codeOf(scale('out'))).toBe('no-policy');
    expect(count(group, scale('out', 2))).toBe(5);
    expect(count(group, scale('in', 1))).toBe(4);
  });

  it('scales by the policy of the direction, whose cooldown starts when a change has succeeded', () => {
    const group = scaled();
    const policy = {
      adjustment: { type: 'percentage', number: 50 },
      cooldownSeconds: 60,
      policyId: 'p',
      policyRevision: 3,
    } as const;
    const now = () => new Date(group.nowMs).toISOString();
    const scale = (direction: 'out' | 'in', more: object = { policy }) =>
      scaleNodeGroup(group.state, { direction, operationId: `u${group.nowMs}`, now: now(), ...more });
    expect(count(group, scale('out'))).toBe(5);
    expect(group.of('NodeGroupResized').at(-1)?.data).toMatchObject({ policyId: 'p', policyRevision: 3 });
    // it has not succeeded yet
    expect(codeOf(scale('out', { count: 1, policy }))).toBe('accepted');
    group.settle();
    group.allWell();
    expect(group.state.scaledAt).toEqual({ out: now() });
    const refused = scale('out');
    expect(refused.ok ? undefined : refused.refusal).toMatchObject({
      code: 'cooldown',
      extra: { retryAfterSeconds: 60 },
    });
    group.nowMs += 59_999;
    expect(codeOf(scale('out'))).toBe('cooldown');
    expect(count(group, scale('in', { policy: { ...policy, adjustment: { type: 'change', number: 1 } } }))).toBe(4);
    group.nowMs += 1;
    expect(count(group, scale('out', { policy: { ...policy, adjustment: { type: 'change', number: 1 } } }))).toBe(5);
  });

  it('a resize waits for no cooldown, and starts one', () => {
    const group = scaled();
    expect(count(group, resizeNodeGroupBy(group.state, by({ type: 'change', number: 1 })))).toBe(4);
    group.settle();
    group.allWell();
    const policy = { adjustment: { type: 'change', number: 1 }, cooldownSeconds: 60 } as const;
    const now = new Date(group.nowMs).toISOString();
    expect(codeOf(scaleNodeGroup(group.state, { direction: 'out', operationId: 'v', now, policy }))).toBe('cooldown');
    expect(count(group, resizeNodeGroupBy(group.state, by({ type: 'change', number: 1 })))).toBe(5);
  });

  it('the count is refused while the autoscaler sets it, and moves with a bound that excludes it', () => {
    const group = scaled();
    const operation = { id: 'u', kind: 'node-group.resize', total: 1 };
    expect(codeOf(resizeNodeGroup(group.state, { count: 4, operation }))).toBe('autoscaled');
    const update = (changes: object) => updateNodeGroup(group.state, changes, { operationId: 'u' });
    expect(codeOf(update({ count: 4, image: 'x' }))).toBe('autoscaled');
    expect(codeOf(update({ maxCount: null }))).toBe('required');
    expect(count(group, update({ maxCount: 2 }))).toBe(2);
    expect(count(group, update({ minCount: 4, maxCount: 9 }))).toBe(4);
    expect(count(group, update({ count: 5, autoscaling: null }))).toBe(5);
  });
});

describe('a scaled group whose nodes lack capacity', () => {
  const lacking = { failed: { class: 'capacity', reason: 'no room' } };
  const fail = (group: Simulation): void => {
    group.settle();
    for (const { id, leaving } of group.state.members.values())
      if (leaving) group.set(id, { deleted: true });
      else if (!group.nodes.get(id)?.ready) group.set(id, lacking);
    group.settle();
  };

  it('lets them go, fails the operation, and rests longer each time until it has grown', () => {
    const group = scaled();
    group.append(...answered(group, grow(1)));
    fail(group);
    expect(group.state).toMatchObject({ spec: { count: 3 }, lacksCapacity: { times: 1 } });
    expect(group.of('OperationEnded').at(-1)).toMatchObject({
      data: { status: 'FAILED', error: { code: 'no-capacity' } },
    });
    const first = restsUntilMs(group.state) - Date.parse(group.state.lacksCapacity?.since ?? '');
    expect(first).toBe(60_000);
    // a change that failed starts no cooldown
    expect(group.state.scaledAt).toBeUndefined();
    group.append(...answered(group, { ...grow(2) }));
    fail(group);
    expect(group.state.lacksCapacity).toMatchObject({ times: 2 });
  });

  it('keeps its minimum, and a group that is not scaled keeps its count', () => {
    const group = scaled();
    group.append({ type: 'NodeGroupUpdated', data: { changes: { minCount: 3 } } });
    group.set(group.memberIds()[0] ?? '', { ...lacking, ready: false });
    group.settle();
    expect(group.state.spec.count).toBe(3);
    const plain = active(3);
    plain.set(plain.memberIds()[0] ?? '', { ...lacking, ready: false });
    plain.settle();
    expect(plain.state).toMatchObject({ spec: { count: 3 } });
    expect(plain.state.lacksCapacity).toBeUndefined();
  });
});
