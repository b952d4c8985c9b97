import type { Profile } from './kernel/profile.js';
import { Violation } from './kernel/simulator.js';
import { USUAL } from './profiles.js';
import { checkReplay, unfinished } from './world/convergence.js';
import { Faults } from './world/faults.js';
import type { Mutation } from './world/mutation.js';
import { retryExhausted } from './world/person.js';
import { Scenario } from './world/scenario.js';
import { World } from './world/world.js';

const QUIET_LIMIT_MS = 240_000;

export interface Result {
  readonly seed: number;
  /** The promise that was broken. */
  readonly violation?: Violation;
  readonly events: number;
  readonly schedule: readonly string[];
}

export interface Options {
  readonly mutation?: Mutation;
  readonly profile?: Profile;
  readonly trace?: boolean;
}

/** One schedule from its seed: people and faults for a while, then quiet time in which everything must converge. */
export function runSchedule(seed: number, options: Options = {}): Result {
  const world = new World(seed, options.profile ?? USUAL, options.trace ?? false, options.mutation);
  const result = { seed, schedule: world.sim.schedule };
  try {
    play(world);
    return { ...result, events: world.log.all.length };
  } catch (error) {
    if (error instanceof Violation) return { ...result, violation: error, events: world.log.all.length };
    throw new Error(`seed ${seed}`, { cause: error });
  }
}

function play(world: World): void {
  const { sim } = world;
  const faultsMs = sim.random.within(sim.profile.lastsMs);
  const faults = new Faults(world);
  world.start();
  new Scenario(world, faultsMs).start();
  faults.start();
  sim.runUntil(faultsMs);
  faults.stop();
  sim.trace(() => 'quiet');
  for (let left = unfinished(world) ?? 'started'; left;) {
    if (sim.now > faultsMs + QUIET_LIMIT_MS) throw new Violation('not-converged', left);
    retryExhausted(world);
    sim.runUntil(sim.now + 5_000);
    left = unfinished(world) ?? '';
  }
  checkReplay(world);
}
