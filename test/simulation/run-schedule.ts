import { checkReplay } from './checks/replay.js';
import { unfinished } from './checks/convergence.js';
import { Environment } from './environment/environment.js';
import { Faults } from './environment/faults.js';
import { Operator } from './environment/operator.js';
import type { Profile } from './kernel/profile.js';
import type { Script } from './kernel/script.js';
import { Violation } from './kernel/simulator.js';
import { USUAL } from './profiles.js';

const QUIET_LIMIT_MS = 180_000;

export interface Result {
  readonly seed: number;
  /** The promise that was broken. */
  readonly violation?: Violation;
  readonly events: number;
  readonly trace: readonly string[];
}

export interface Options {
  readonly profile?: Profile;
  readonly tracing?: boolean;
  /** Creates the script that directs the schedule; without it, the schedule is random. */
  readonly script?: new (environment: Environment) => Script;
}

/**
 * Plays one schedule from its seed: a time of requests and faults, then a quiet time in which everything must converge.
 */
export async function runSchedule(seed: number, options: Options = {}): Promise<Result> {
  const { profile = USUAL, tracing = false, script: ScriptOf } = options;
  const environment = new Environment(seed, profile, tracing);
  const { sim, log } = environment.outside;
  if (ScriptOf) sim.script = new ScriptOf(environment);
  log.onEvent(event => sim.directed?.recorded(event));
  const result = { seed, trace: sim.trace };
  try {
    await play(environment);
    return { ...result, events: log.events.length };
  } catch (error) {
    if (error instanceof Violation) return { ...result, violation: error, events: log.events.length };
    throw new Error(`seed ${seed}`, { cause: error });
  } finally {
    environment.close();
  }
}

async function play(environment: Environment): Promise<void> {
  const { outside, reference, checker } = environment;
  const { sim } = outside;
  const faultsMs = sim.random.within(sim.profile.lastsMs);
  const faults = new Faults(environment);
  const operator = new Operator(environment, faultsMs);
  environment.start();
  operator.start();
  faults.start();
  sim.script?.start();
  await sim.runUntil(faultsMs);
  faults.stop();
  sim.note(() => 'quiet');
  let left: Violation | undefined;
  do {
    if (left && sim.now > faultsMs + QUIET_LIMIT_MS) throw left;
    void operator.retryFailed();
    await sim.runUntil(sim.now + 5_000);
    left = unfinished(outside, reference, checker);
  } while (left);
  checker.checkAccepted(operator.client.accepted);
  await checkReplay(outside);
}
