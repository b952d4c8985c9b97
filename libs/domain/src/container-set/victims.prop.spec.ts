import fc from 'fast-check';
import { largestRemainder } from '../placement/largest-remainder.js';
import { runningSet } from './running-set.fixture.js';
import { resizeContainerSet } from './set-actions.js';
import type { SetSimulation } from './set-simulation.fixture.js';

const MINUTE = 60_000;

/** Puts the members into places by their ordinals, and compares with the shares of these weights. */
function place(set: SetSimulation, weights: readonly number[], placeOf: (ordinal: number) => number): void {
  const places = new Map(set.staying.map(({ id, ordinal }) => [id, placeOf(ordinal)]));
  set.sharesOf = members => {
    const shares = largestRemainder(members, weights);
    const there = weights.map((_, at) => set.staying.filter(({ id }) => places.get(id) === at).length);
    return { placeOf: id => places.get(id), balance: at => (there[at] ?? 0) - (shares[at] ?? 0) };
  };
}

const counts = (set: SetSimulation, places: number): readonly number[] => {
  const shares = set.sharesOf?.(0);
  return Array.from({ length: places }, (_, at) => set.staying.filter(({ id }) => shares?.placeOf(id) === at).length);
};

const shrink = (set: SetSimulation, number: number): void => {
  set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number }, operationId: `to-${number}` }));
  set.run(MINUTE);
};

describe('the members of a set that go', () => {
  it('are taken from the places that are most above their shares, not from the fullest', () => {
    const set = runningSet({ desired: 8 });
    // two of eight by their shares are in the first place, which has three
    place(set, [1, 3], ordinal => (ordinal < 3 ? 0 : 1));
    shrink(set, 7);
    expect(counts(set, 2)).toEqual([2, 5]);
    shrink(set, 4);
    expect(counts(set, 2)).toEqual([1, 3]);
  });

  it('with room for all, are such that each place is at its share, whatever it had above it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(6),
        (weights, left, more) => {
          const set = runningSet({ desired: left + more });
          const shares = largestRemainder(left, weights);
          // what is above the shares is all in the first place
          const places = shares.flatMap((count, at) => Array<number>(count).fill(at));
          place(set, weights, ordinal => places[ordinal] ?? 0);
          shrink(set, left);
          expect(counts(set, weights.length)).toEqual(shares);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leave out of the count what waits for its release', () => {
    const set = runningSet({ desired: 4, policies: { deletion: { hook: { timeoutSeconds: 9000 } } } });
    place(set, [1, 1], ordinal => (ordinal < 2 ? 0 : 1));
    shrink(set, 3);
    shrink(set, 2);
    const waiting = set.staying.filter(({ release }) => release).map(({ ordinal }) => Math.floor(ordinal / 2));
    expect(waiting.sort()).toEqual([0, 1]);
  });

  it('are members without a node first, then those in places that the policy does not list', () => {
    const set = runningSet({ desired: 4 });
    const ids = [...set.staying].sort((a, b) => a.ordinal - b.ordinal).map(({ id }) => id);
    set.sharesOf = () => ({
      placeOf: id => (id === ids[1] ? undefined : id === ids[2] ? 9 : 0),
      balance: at => (at === 9 ? Infinity : 4),
    });
    shrink(set, 2);
    expect(set.staying.map(({ ordinal }) => ordinal).sort()).toEqual([0, 3]);
  });
});
