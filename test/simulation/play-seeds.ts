import { PROFILES, type ProfileName } from './profiles.js';
import { runSchedule, type Result } from './run-schedule.js';

const SHOWN_LINES = 200;

/** Plays these seeds of a profile. Throws with the seed and the end of the trace of the first one that breaks a promise. */
export async function playSeeds(name: ProfileName, seeds: readonly number[]): Promise<void> {
  const profile = PROFILES[name];
  const failed: Result[] = [];
  for (const seed of seeds) {
    const result = await runSchedule(seed, { profile });
    if (result.violation) failed.push(result);
  }
  const [first] = failed;
  if (!first) return;
  const { trace } = await runSchedule(first.seed, { profile, tracing: true });
  const all = failed.map(({ seed, violation }) => `SIMULATION_SEED=${seed}: ${violation?.message}`);
  const lines = [`${failed.length} of ${seeds.length} schedules broke a promise (${name}):`, ...all];
  throw new Error([...lines, ...trace.slice(-SHOWN_LINES)].join('\n'));
}
