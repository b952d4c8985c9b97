import fc from 'fast-check';
import { HOUR, LoadSimulation, MINUTE, numbersFrom, sawtooth, SECOND, settings } from './load-simulation.fixture.js';

const noisy = (demand: number, noise: number, seed: number) => {
  const next = numbersFrom(seed);
  return (): number => demand * (1 + noise * (2 * next() - 1));
};

/** Replaces all members within 40 s, with as many more meanwhile; 8 min pass. */
function rollOut(set: LoadSimulation): void {
  set.run(2 * MINUTE);
  set.surging = set.desired;
  set.run(40 * SECOND);
  // the old members go, the new ones stay
  set.members = set.members.slice(set.desired);
  set.surging = 0;
  set.run(5 * MINUTE);
}

describe('a set that follows its load, over simulated hours', () => {
  it.each([0.05, 0.09, 0.1])(
    'constant demand with noise of %d changes nothing in 12 hours once it is settled',
    noise => {
      for (const demand of [0.8, 2.3, 3.75, 7.1, 20.4]) {
        const set = new LoadSimulation({ demand: noisy(demand, noise, Math.round(demand * 10)) });
        set.run(HOUR);
        const before = set.changes.length;
        set.run(12 * HOUR);
        expect([demand, set.changes.slice(before)]).toEqual([demand, []]);
        expect(Math.abs(set.desired - Math.ceil(demand / 0.5))).toBeLessThanOrEqual(Math.ceil((demand / 0.5) * 0.1));
      }
    },
  );

  it('constant demand of any size, with noise up to the tolerance, never turns the direction', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 30, noNaN: true }), fc.nat(1000), (demand, seed) => {
        const set = new LoadSimulation({ demand: noisy(demand, 0.1, seed), desired: 8 });
        set.run(3 * HOUR);
        expect(set.reversals).toBeLessThanOrEqual(1);
        const settled = set.changes.length;
        set.run(HOUR);
        expect(set.changes.length - settled).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it('a sawtooth turns the direction twice in each period at most', () => {
    const set = new LoadSimulation({ demand: sawtooth(20 * MINUTE, 10) });
    set.run(6 * HOUR);
    expect(set.reversals).toBeLessThanOrEqual(2 * 18);
    expect(set.reversals).toBeGreaterThan(18);
  });

  it.each([1200, 1800, 3600])(
    'a sawtooth never turns the direction when scaling in is stabilised over %d s',
    seconds => {
      const slow = settings({ scaleIn: { stabilisationSeconds: seconds, maxStep: '50%' } });
      const set = new LoadSimulation({ demand: sawtooth(20 * MINUTE, 10), settings: slow });
      set.run(6 * HOUR);
      expect(set.reversals).toBe(0);
      expect(set.desired).toBeGreaterThanOrEqual(18);
    },
  );

  it('a rollout that doubles the members, again and again, changes nothing', () => {
    for (const demand of [1.9, 3.3, 5]) {
      const set = new LoadSimulation({ demand: () => demand, desired: Math.ceil(demand / 0.5) });
      for (let round = 0; round < 30; round++) rollOut(set);
      expect(set.changes).toEqual([]);
    }
  });

  it('rollouts that double the members of a set in a sawtooth add no turn to those of the sawtooth', () => {
    const set = new LoadSimulation({ demand: sawtooth(20 * MINUTE, 10) });
    while (set.now < 6 * HOUR) rollOut(set);
    expect(set.reversals).toBeLessThanOrEqual(2 * 18);
  });

  it.each([1200, 1800, 3600])(
    'rollouts in a sawtooth change nothing once it is settled, when scaling in is stabilised over %d s',
    seconds => {
      const slow = settings({ scaleIn: { stabilisationSeconds: seconds, maxStep: '50%' } });
      const set = new LoadSimulation({ demand: sawtooth(20 * MINUTE, 10), settings: slow });
      set.run(2 * HOUR);
      const settled = set.changes.length;
      while (set.now < 8 * HOUR) rollOut(set);
      expect(set.changes.slice(settled)).toEqual([]);
    },
  );

  it('more load is followed within the window and the warm-up of what was added', () => {
    const set = new LoadSimulation({ demand: ms => (ms < 10 * MINUTE ? 2 : 3.6), desired: 4 });
    set.run(10 * MINUTE);
    expect(set.changes).toEqual([]);
    set.run(60 * SECOND);
    expect(set.desired).toBeGreaterThan(4);
    set.run(2 * MINUTE);
    // within the tolerance of the target
    expect(3.6 / (set.desired * 0.5)).toBeLessThanOrEqual(1.1);
    expect(set.desired).toBeLessThanOrEqual(8);
  });

  it('the number is always within the bounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 }), fc.nat(10), fc.nat(1000), (min, more, seed) => {
        const next = numbersFrom(seed);
        let demand = 1;
        const walk = (): number => (demand = Math.min(20, Math.max(0, demand + next() - 0.5)));
        const set = new LoadSimulation({ demand: walk, desired: min + more, load: { min, max: min + more } });
        set.run(2 * HOUR);
        for (const { to } of set.changes) expect(to >= min && to <= min + more).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
