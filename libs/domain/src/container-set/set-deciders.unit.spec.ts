import { runningSet, MINUTE } from './running-set.fixture.js';
import { setDeciderOf } from './set-deciders.js';
import type { SetSimulation } from './set-simulation.fixture.js';

/** Returns the types of the events that these decided, in order and each once. */
const decided = (set: SetSimulation, by: string): readonly string[] => {
  const types = set.log.filter(({ event, before }) => setDeciderOf(before, [event]) === by).map(e => e.event.type);
  return [...new Set(types)];
};

describe('what decides about a set beside users', () => {
  it('a rollout adds successors, takes members away and ends; what the user asked for is no decision of its own', () => {
    const set = runningSet({ desired: 2 });
    set.roll('web:2');
    set.run(MINUTE);
    expect(decided(set, 'rollout')).toEqual([
      'RolloutStarted',
      'MembersAdded',
      'DisruptionGranted',
      'MemberRemovalAccepted',
      'RolloutEnded',
    ]);
    expect(decided(set, 'health')).toEqual([]);
  });

  it('a health policy notes, repairs and replaces what is unhealthy', () => {
    const health = { detect: ['healthCheck'] as const, unhealthyAfterSeconds: 0, maxUnhealthy: 2 };
    const set = runningSet({ desired: 2, policies: { health: { ...health, actions: [{ do: 'replace' }] } } });
    const [first] = set.staying;
    Object.assign(set.units.get(first?.id ?? '') ?? {}, { health: 'unhealthy' });
    set.run(MINUTE);
    expect(decided(set, 'health')).toEqual(['MembersHealthChanged', 'MembersRepaired', 'MemberRemovalAccepted']);
    expect(decided(set, 'rollout')).toEqual([]);
  });

  it('health comes before the rollout where one decision has both', () => {
    const { state } = runningSet({ desired: 2 });
    const granted = { memberIds: [], available: 2, desired: 2, unavailable: 1 };
    const grant = (cause: 'health' | 'rollout' | 'shrink') =>
      ({ type: 'DisruptionGranted', data: { ...granted, cause } }) as const;
    expect(setDeciderOf(state, [grant('rollout'), grant('health')])).toBe('health');
    expect(setDeciderOf(state, [grant('shrink'), grant('rollout')])).toBe('rollout');
    expect(setDeciderOf(state, [grant('shrink')])).toBeUndefined();
  });
});
