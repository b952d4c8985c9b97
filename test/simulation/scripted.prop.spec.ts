// first, because the module mocks use it while the other modules load
import { internalKey, seededUuidV7, timersPromises } from './kernel/globals.js';
import { simulationSeeds } from './simulation.config.js';
import { playSeeds } from './play-seeds.js';

jest.mock('uuid', () => ({ ...jest.requireActual<object>('uuid'), v7: () => seededUuidV7() }));
jest.mock('uid', () => ({ uid: () => internalKey() }));
jest.mock('node:timers/promises', () => timersPromises);

const LIMIT_MS = 900_000;

it(
  'no accepted removal of a node takes data that is to be retained, although the data was bound to it a moment before',
  async () => {
    const seeds = simulationSeeds(2);
    await playSeeds('directed', seeds, 'data on leaving nodes');
    expect(seeds.length).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
