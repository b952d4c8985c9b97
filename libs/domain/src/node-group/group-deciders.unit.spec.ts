import { running, wait } from '../policy/group-effects.fixture.js';
import { groupDeciderOf } from './group-deciders.js';
import { Simulation } from './group-simulation.fixture.js';
import type { NodeGroupEvent } from './node-group-events.js';
import type { NodeGroupState } from './node-group-state.js';
import { updateNodeGroup } from './update-node-group.js';

/** Returns the types of the events that these decide from now on, each once. */
function decisions(group: Simulation, by: string, act: () => void): readonly string[] {
  const types = new Set<string>();
  const append = group.append.bind(group);
  group.append = (...events: readonly NodeGroupEvent[]): void => {
    for (const event of events) {
      const before: NodeGroupState = group.state;
      if (groupDeciderOf(before, [event]) === by) types.add(event.type);
      append(event);
    }
  };
  act();
  return [...types];
}

describe('what decides about a node group beside users', () => {
  it('a rolling replacement adds nodes and takes others away', () => {
    const group = new Simulation(2);
    group.allWell();
    const decision = updateNodeGroup(group.state, { image: 'next' }, { operationId: 'roll' });
    const types = decisions(group, 'rollout', () => {
      if (decision.ok) group.append(...decision.events);
      group.allWell();
    });
    expect(types).toEqual(['NodesAdded', 'NodeRemovalAccepted']);
    expect(group.state.status).toBe('ACTIVE');
  });

  it('a health policy notes, repairs and replaces nodes that have failed', () => {
    const group = running('health', { actions: [{ do: 'rebuild' }, { do: 'replace' }], maxUnhealthy: 4 });
    const [first = ''] = group.memberIds();
    const fail = (generation: number): void =>
      group.set(first, { failed: { class: 'permanent', reason: 'broken', generation, isBuilt: true } });
    const types = decisions(group, 'health', () => {
      fail(1);
      group.settle();
      fail(2);
      wait(group, 600);
    });
    expect(types).toEqual(['NodesHealthChanged', 'NodesRepaired', 'NodeRemovalAccepted']);
  });

  it('without a policy, failed nodes are replaced by the group itself', () => {
    const group = new Simulation(2);
    group.allWell();
    const types = decisions(group, 'health', () => {
      group.fail(group.memberIds()[0] ?? '');
      group.settle();
    });
    expect(types).toEqual([]);
    expect(group.of('NodesAdded').at(-1)?.data.reason).toBe('replace failed nodes');
  });
});
