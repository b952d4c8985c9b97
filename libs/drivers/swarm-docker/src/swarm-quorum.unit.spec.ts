import { label, type SwarmNode } from '@stave/docker';
import { planQuorum } from './swarm-quorum.js';

type Situation = 'leader' | 'manager' | 'deadManager' | 'standby' | 'downStandby' | 'worker';

function member(id: string, situation: Situation): SwarmNode {
  const isManager = situation === 'leader' || situation === 'manager' || situation === 'deadManager';
  const dead = situation === 'deadManager' || situation === 'downStandby';
  return {
    ID: id,
    CreatedAt: `2024-01-01T00:00:0${id}Z`,
    Version: { Index: 1 },
    Spec: { Role: isManager ? 'manager' : 'worker', Availability: 'active', Labels: null },
    Status: { State: dead ? 'down' : 'ready' },
    ...(isManager && {
      ManagerStatus: { Leader: situation === 'leader', Reachability: dead ? 'unreachable' : 'reachable' },
    }),
    Description: { Engine: { Labels: { [label.role]: situation === 'worker' ? 'worker' : 'manager' } } },
  };
}

const plan = (parts: readonly Situation[], keep?: string) => {
  const { promote, demote } = planQuorum(
    parts.map((part, index) => member(String(index), part)),
    keep,
  );
  return { promote: promote.map(one => one.ID), demote: demote.map(one => one.ID) };
};
const nothing = { promote: [], demote: [] };

describe('planQuorum', () => {
  it.each<[string, Situation[], { promote: string[]; demote: string[] }]>([
    ['keeps one manager', ['leader', 'worker'], nothing],
    ['keeps the second as a standby', ['leader', 'standby'], nothing],
    ['promotes the second with the third', ['leader', 'standby', 'standby'], { promote: ['1', '2'], demote: [] }],
    ['keeps the fourth as a standby', ['leader', 'manager', 'manager', 'standby'], nothing],
    ['demotes one of two managers, but not the leader', ['manager', 'leader'], { promote: [], demote: ['0'] }],
    ['promotes a standby to replace a manager', ['leader', 'manager', 'standby'], { promote: ['2'], demote: [] }],
    ['counts a dead manager', ['leader', 'manager', 'deadManager'], nothing],
    ['demotes a dead manager first', ['deadManager', 'leader', 'manager', 'manager'], { promote: [], demote: ['0'] }],
    ['does not promote a standby that is down', ['leader', 'downStandby', 'standby'], nothing],
    ['never promotes workers', ['leader', 'worker', 'worker'], nothing],
  ])('%s', (_name, parts, expected) => expect(plan(parts)).toEqual(expected));

  it('keeps the manager that carries out the plan', () => {
    expect(plan(['manager', 'leader'], '0')).toEqual({ promote: [], demote: ['1'] });
  });
});
