import { strategyProblems, updateBounds } from './node-group-spec.js';

it.each([
  [undefined, 3, 1, 0],
  [{ maxSurge: 2 }, 3, 2, 0],
  [{ maxSurge: '25%', maxUnavailable: '25%' }, 10, 3, 2],
  [{ maxSurge: 0, maxUnavailable: '25%' }, 3, 0, 1],
  [{ maxUnavailable: 9 }, 3, 1, 3],
  [{ maxSurge: '100%' }, 4, 4, 0],
])(
  'the update strategy %j for %i nodes allows %i surplus and %i unavailable nodes',
  (strategy, count, surge, unavailable) => {
    expect(updateBounds(strategy, count)).toEqual({ surge, unavailable });
  },
);

it('an update strategy that never replaces a node is refused', () => {
  for (const none of [{ maxSurge: 0 }, { maxSurge: '0%', maxUnavailable: 0 }])
    expect(strategyProblems(none, '/updateStrategy')).toMatchObject([
      { pointer: '/updateStrategy', code: 'no-progress' },
    ]);
  for (const some of [undefined, {}, { maxSurge: 0, maxUnavailable: '1%' }])
    expect(strategyProblems(some, '/x')).toEqual([]);
});
