// first, because the module mocks use it while the other modules load
import { internalKey, seededUuidV7, timersPromises } from './kernel/globals.js';
import { simulationSeeds } from './simulation.config.js';
import { playSeeds } from './play-seeds.js';
import type { ProfileName } from './profiles.js';
import { runSchedule } from './run-schedule.js';

jest.mock('uuid', () => ({ ...jest.requireActual<object>('uuid'), v7: () => seededUuidV7() }));
jest.mock('uid', () => ({ uid: () => internalKey() }));
jest.mock('node:timers/promises', () => timersPromises);

const LIMIT_MS = 900_000;

describe('the product in simulation', () => {
  it.each<readonly [ProfileName, number]>([
    ['usual', 2],
    ['frozen at changes', 1],
    ['partitions', 1],
    ['restarts', 1],
    ['slow feeds', 1],
    ['rolling', 1],
    ['lost answers', 1],
    ['containers', 1],
    ['volumes', 1],
  ])(
    'the product keeps every promise under the faults of the profile "%s"',
    async (name, usual) => {
      const seeds = simulationSeeds(usual);
      await playSeeds(name, seeds);
      expect(seeds.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  it(
    'the simulation repeats a schedule from its seed',
    async () => {
      const first = await runSchedule(7, { tracing: true });
      const second = await runSchedule(7, { tracing: true });
      expect(second.trace).toEqual(first.trace);
      expect(first.events).toBeGreaterThan(20);
    },
    LIMIT_MS,
  );
});
