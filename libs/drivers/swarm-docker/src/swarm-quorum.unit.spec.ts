import type { SwarmNode } from './engine-types.js';
import { label } from './labels.js';
import { planQuorum } from './swarm-quorum.js';

type Part = 'leader' | 'manager' | 'deadManager' | 'standby' | 'downStandby' | 'worker';

function member(id: string, part: Part): SwarmNode {
  const manages = part === 'leader' || part === 'manager' || part === 'deadManager';
  const dead = part === 'deadManager' || part === 'downStandby';
  return {
    ID: id,
    CreatedAt: `2024-01-01T00:00:0${id}Z`,
    Version: { Index: 1 },
    Spec: { Role: manages ? 'manager' : 'worker', Availability: 'active', Labels: null },
    Status: { State: dead ? 'down' : 'ready' },
    ...(manages && { ManagerStatus: { Leader: part === 'leader', Reachability: dead ? 'unreachable' : 'reachable' } }),
    Description: { Engine: { Labels: { [label.role]: part === 'worker' ? 'worker' : 'manager' } } },
  };
}

const plan = (parts: readonly Part[], keep?: string) => {
  const { promote, demote } = planQuorum(
    parts.map((part, index) => member(String(index), part)),
    keep,
  );
  return { promote: promote.map(one => one.ID), demote: demote.map(one => one.ID) };
};
const nothing = { promote: [], demote: [] };

describe('planQuorum', () => {
  it.each<[string, Part[], { promote: string[]; demote: string[] }]>([
    ['one manager stays', ['leader', 'worker'], nothing],
    ['the second stands by', ['leader', 'standby'], nothing],
    ['the third brings in the second too', ['leader', 'standby', 'standby'], { promote: ['1', '2'], demote: [] }],
    ['the fourth stands by', ['leader', 'manager', 'manager', 'standby'], nothing],
    ['of two left one goes back, not the leader', ['manager', 'leader'], { promote: [], demote: ['0'] }],
    ['one who stands by replaces', ['leader', 'manager', 'standby'], { promote: ['2'], demote: [] }],
    ['a dead manager still counts', ['leader', 'manager', 'deadManager'], nothing],
    ['the dead one goes first', ['deadManager', 'leader', 'manager', 'manager'], { promote: [], demote: ['0'] }],
    ['one that is down is not promoted', ['leader', 'downStandby', 'standby'], nothing],
    ['workers never manage', ['leader', 'worker', 'worker'], nothing],
  ])('%s', (_name, parts, expected) => expect(plan(parts)).toEqual(expected));

  it('keeps the one that is asked to demote', () => {
    expect(plan(['manager', 'leader'], '0')).toEqual({ promote: [], demote: ['1'] });
  });
});
