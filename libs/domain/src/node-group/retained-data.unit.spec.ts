import { Simulation } from './group-simulation.fixture.js';
import { resizeNodeGroup } from './node-group-decider.js';

/** A complete group; nodes of these ordinals have data that is to be retained. */
function holding(count: number, ordinals: readonly number[], zones: readonly string[] = []): Simulation {
  const group = new Simulation(count, zones);
  group.allWell();
  group.holdsData = id => ordinals.includes(group.state.members.get(id)?.ordinal ?? -1);
  return group;
}

/** Scales to the count, and returns the ordinals that are left. */
function left(group: Simulation, count: number): readonly number[] {
  const decision = resizeNodeGroup(group.state, {
    count,
    operation: { id: 'in', kind: 'node-group.resize', total: 1 },
  });
  if (decision.ok) group.append(...decision.events);
  group.allWell();
  return [...group.state.members.values()].map(m => m.ordinal);
}

describe('nodes with data of volumes that are retained', () => {
  it('a smaller count takes others', () => {
    expect(left(holding(4, [3]), 1)).toEqual([3]);
    expect(left(holding(4, []), 1)).toEqual([0]);
  });

  it('count for their zone all the same', () => {
    // a: 0 and 2, b: 1 and 3
    expect(left(holding(4, [0, 2], ['a', 'b']), 3)).toEqual([0, 1, 2]);
    expect(left(holding(4, [0, 2], ['a', 'b']), 2)).toEqual([0, 2]);
  });

  it('stay where there are more of them than the count, and the group says so until they may go', () => {
    const group = holding(3, [0, 1]);
    expect(left(group, 1)).toEqual([0, 1]);
    expect(group.summary).toMatchObject({
      status: 'DEGRADED',
      statusReason: '2 nodes have data of volumes that are retained',
    });
    expect(group.of('OperationEnded').at(-1)?.data).toMatchObject({
      status: 'FAILED',
      error: { code: 'holds-volumes' },
    });
    group.holdsData = () => false;
    group.allWell();
    expect([group.state.members.size, group.state.status]).toEqual([1, 'ACTIVE']);
  });
});
