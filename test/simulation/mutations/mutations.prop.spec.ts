// first, because the module mocks use it while the other modules load
import { internalKey, seededUuidV7, timersPromises } from '../kernel/globals.js';
import { PROFILES } from '../profiles.js';
import { runSchedule, type Options } from '../run-schedule.js';
import { SCRIPTS } from '../scripts/scripts.js';
import { claimMutations } from './claim-mutations.js';
import { effectMutations } from './effect-mutations.js';
import type { Mutation } from './mutation.js';
import { sessionMutations } from './session-mutations.js';

jest.mock('uuid', () => ({ ...jest.requireActual<object>('uuid'), v7: () => seededUuidV7() }));
jest.mock('uid', () => ({ uid: () => internalKey() }));
jest.mock('node:timers/promises', () => timersPromises);

const { SIMULATION_MUTATION_SEEDS: given } = process.env;
/** The maximum number of seeds until a mutation is noticed. */
const BUDGET = Number(given ?? 60);
const LIMIT_MS = 900_000;

/** Returns the first seed that breaks one of the named promises with the mutation, and none without it. */
async function firstNoticed({ profile, script, noticedBy, apply }: Mutation): Promise<number | undefined> {
  const options: Options = { profile: PROFILES[profile], ...(script && { script: SCRIPTS[script] }) };
  for (let seed = 1; seed <= BUDGET; seed++) {
    const restore = apply();
    const { violation } = await runSchedule(seed, options).finally(restore);
    if (!violation || !noticedBy.includes(violation.check)) continue;
    if (!(await runSchedule(seed, options)).violation) return seed;
  }
  return undefined;
}

const all = [...claimMutations, ...sessionMutations, ...effectMutations];

describe('the simulation with a mutation of the product', () => {
  it.each(all.map(mutation => [mutation.name, mutation] as const))(
    'the simulation notices that %s',
    async (name, mutation) => {
      const seed = await firstNoticed(mutation);
      if (given !== undefined) process.stderr.write(`${name}: seed ${seed ?? 'none'}\n`);
      expect(seed).toBeDefined();
    },
    LIMIT_MS,
  );
});
