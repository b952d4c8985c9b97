import { HOUR, MINUTE, numbersFrom, sawtooth, SECOND, settings } from './load-simulation.fixture.js';
import { ScaledFleet } from './scaled-fleet.fixture.js';

const DELAY_MS = 600 * SECOND;
const noisy = (demand: number, seed: number) => {
  const next = numbersFrom(seed);
  return (): number => demand * (1 + 0.1 * (2 * next() - 1));
};
/** Returns the removals after which the group grew within its `delayAfterGrowSeconds`. */
const regretted = ({ grew, removed }: ScaledFleet): readonly number[] =>
  removed.filter(at => grew.some(again => again > at && again <= at + DELAY_MS));

describe('a node group under a set that follows its load, over simulated hours', () => {
  it.each([2.3, 3.75, 7.1])(
    'constant demand of %d removes what is too much, and no node that growth brings back',
    demand => {
      const fleet = new ScaledFleet({ demand: noisy(demand, Math.round(demand * 10)), desired: 24, nodes: 8 });
      fleet.run(HOUR);
      const settled = { grew: fleet.grew.length, removed: fleet.removed.length };
      fleet.run(12 * HOUR);
      expect({ grew: fleet.grew.length, removed: fleet.removed.length }).toEqual(settled);
      expect(fleet.removed.length).toBeGreaterThan(0);
      expect(regretted(fleet)).toEqual([]);
      expect(fleet.size).toBeLessThan(8);
    },
  );

  it.each([300, 1200])(
    'a sawtooth removes no node that growth brings back, with scaling in stabilised over %d s',
    seconds => {
      const how = settings({ scaleIn: { stabilisationSeconds: seconds, maxStep: '50%' } });
      const fleet = new ScaledFleet({ demand: sawtooth(20 * MINUTE, 10), settings: how, desired: 40, nodes: 12 });
      fleet.run(6 * HOUR);
      expect(fleet.removed.length).toBeGreaterThan(0);
      expect(regretted(fleet)).toEqual([]);
    },
  );

  it('without the delays a sawtooth would remove nodes again and again that growth brings back', () => {
    const auto = { idleSeconds: 1, delayAfterGrowSeconds: 0 };
    const fleet = new ScaledFleet({ demand: sawtooth(20 * MINUTE, 10), auto });
    fleet.run(6 * HOUR);
    expect(regretted(fleet).length).toBeGreaterThan(10);
  });
});
