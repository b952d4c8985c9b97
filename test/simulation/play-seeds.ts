import { PROFILES, type ProfileName } from './profiles.js';
import { runSchedule, type Options, type Result } from './run-schedule.js';
import { SCRIPTS, type ScriptName } from './scripts/scripts.js';

const SHOWN_LINES = 200;

/**
 * Plays these seeds of a profile, directed by the script if one is given. Throws for the first broken promise, with its
 * seed and the end of the trace.
 */
export async function playSeeds(name: ProfileName, seeds: readonly number[], script?: ScriptName): Promise<void> {
  const options: Options = { profile: PROFILES[name], ...(script && { script: SCRIPTS[script] }) };
  const failed: Result[] = [];
  for (const seed of seeds) {
    const result = await runSchedule(seed, options);
    if (result.violation) failed.push(result);
  }
  const [first] = failed;
  if (!first) return;
  const { trace } = await runSchedule(first.seed, { ...options, tracing: true });
  const all = failed.map(({ seed, violation }) => `SIMULATION_SEED=${seed}: ${violation?.message}`);
  const lines = [`${failed.length} of ${seeds.length} schedules broke a promise (${script ?? name}):`, ...all];
  throw new Error([...lines, ...trace.slice(-SHOWN_LINES)].join('\n'));
}
