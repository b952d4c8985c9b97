import {
  groupScalingLines,
  setScalingLines,
  type GroupAutoscaling,
  type ScalingBlock,
  type SetAutoscaling,
} from './scaling-lines.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const at = '2026-01-01T11:59:48Z';
const set: SetAutoscaling = {
  state: 'steady',
  reason: 'the use of cpu is 100 % of its target',
  desired: 3,
  recommended: 3,
  metrics: [],
  lastChange: { at, from: 2, to: 3 },
  evaluations: [],
};
const group: GroupAutoscaling = {
  state: 'steady',
  count: 1,
  minCount: 0,
  maxCount: 5,
  upcoming: 0,
  proposal: null,
  candidates: [],
  backoff: null,
  lastRefusal: null,
};
const block = (direction: 'out' | 'in', code: ScalingBlock['code'], sentence: string): ScalingBlock => ({
  direction,
  code,
  sentence,
});

describe('the scaling of a set', () => {
  it('has its sizes, the state with its reason, the last change and what keeps the number', () => {
    const blocks = [block('out', 'DEMAND', 'Three are needed.'), block('in', 'DEMAND', 'Three are needed.')];
    expect(setScalingLines(set, { min: 1, max: 8 }, blocks, now)).toEqual([
      'Desired      3 members, between 1 and 8',
      'Recommended  3 members',
      'Autoscaler   steady: the use of cpu is 100 % of its target',
      'Last change  from 2 to 3, 12s ago, by the autoscaler',
      'What keeps the number',
      '  out and in  Three are needed.  DEMAND',
    ]);
  });

  it('names who holds it, until when, and which reason each direction has', () => {
    const held = { ...set, state: 'held', recommended: null, heldUntil: at, contendedBy: 'a\u001b' } as const;
    const by: SetAutoscaling = { ...held, lastChange: { at, from: 3, to: 1, by: 'Ada' } };
    const blocks = [block('out', 'AT_MAX', 'It is full.'), block('in', 'HELD', 'It was resized.')];
    expect(setScalingLines(by, { min: 1 }, blocks, now)).toEqual([
      'Desired       3 members, at least 1',
      'Recommended   unknown',
      'Autoscaler    held: the use of cpu is 100 % of its target',
      `Held until    ${at}`,
      'Contended by  a\\x1b',
      'Last change   from 3 to 1, 12s ago, by Ada',
      'What keeps the number',
      '  out  It is full.      AT_MAX',
      '  in   It was resized.  HELD',
    ]);
    expect(setScalingLines({ ...set, lastChange: null }, { min: 0 }, [], now)).toContain('Last change  none');
  });

  it('that is not scaled automatically keeps its size, and members that do not go are still named', () => {
    const disabled: SetAutoscaling = { ...set, state: 'disabled', desired: 1, lastChange: null };
    const blocks = [block('in', 'REMOVAL_FAILED', 'It is stuck.'), block('out', 'DISABLED', 'It is not scaled.')];
    expect(setScalingLines(disabled, { min: 0 }, blocks, now)).toEqual([
      'It keeps its size of 1 member, since it is not scaled automatically. `stave container-sets resize` changes it.',
      'What keeps the number',
      '  in  It is stuck.  REMOVAL_FAILED',
    ]);
  });
});

describe('the scaling of a node group', () => {
  it('that is not scaled automatically keeps its size', () => {
    expect(groupScalingLines({ ...group, state: 'disabled', count: 2 }, now)).toEqual([
      'It keeps its size of 2 nodes, since it is not scaled automatically. `stave node-groups resize` changes it.',
    ]);
  });

  it('has its size, its state and everything that the autoscaler waits for', () => {
    expect(groupScalingLines(group, now)).toEqual(['Desired     1 node, between 0 and 5', 'Autoscaler  steady']);
    const waiting: GroupAutoscaling = {
      ...group,
      state: 'resting',
      upcoming: 1,
      proposal: { id: 'p', at, nodes: 2 },
      heldUntil: at,
      backoff: { failures: 1, until: at, isOver: false },
      lastRefusal: { code: 'quota', at },
    };
    expect(groupScalingLines(waiting, now)).toEqual([
      'Desired       1 node, between 0 and 5',
      'Autoscaler    resting',
      'Proposed      2 nodes more',
      'Upcoming      1 node',
      `Held until    ${at}`,
      `Rests until   ${at}`,
      'Last refusal  quota, 12s ago',
    ]);
    const shrinking: GroupAutoscaling = { ...group, proposal: { id: 'p', at, nodeIds: ['n'] } };
    expect(groupScalingLines(shrinking, now)).toContain('Proposed    1 node fewer');
  });
});
