// first, because the module mocks use it while the other modules load
import { internalKey, seededUuidV7, timersPromises } from './kernel/globals.js';
import { simulationSeeds } from './simulation.config.js';
import { playSeeds } from './play-seeds.js';
import { PROFILES, type ProfileName } from './profiles.js';
import { SCRIPTS, type ScriptName } from './scripts/scripts.js';

jest.mock('uuid', () => ({ ...jest.requireActual<object>('uuid'), v7: () => seededUuidV7() }));
jest.mock('uid', () => ({ uid: () => internalKey() }));
jest.mock('node:timers/promises', () => timersPromises);

/** The number of seeds in the long tier; `SIMULATION_SEEDS=1000` plays more. */
const SEEDS = 12;
const SEEDS_OF_SCRIPTS = 3;
const LIMIT_MS = 3_600_000;

describe('the product in long simulations', () => {
  it.each(Object.keys(PROFILES) as ProfileName[])(
    'the product keeps every promise under the faults of the profile "%s" for many seeds',
    async name => {
      const seeds = simulationSeeds(SEEDS);
      await playSeeds(name, seeds);
      expect(seeds.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it.each(Object.keys(SCRIPTS) as ScriptName[])(
    'the product keeps every promise when the script "%s" directs the schedule',
    async script => {
      const seeds = simulationSeeds(SEEDS_OF_SCRIPTS);
      await playSeeds('directed', seeds, script);
      expect(seeds.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
