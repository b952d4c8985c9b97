import type { Profile } from './kernel/profile.js';
import { CUTS, RESTARTS, ROLLING, SLOW_FEEDS, STOPPED_AT_CHANGES, USUAL } from './profiles.js';
import { runSchedule, type Result } from './run-schedule.js';
import { simulationSeeds } from './simulation.config.js';

const SHOWN_LINES = 200;

function told({ seed, violation }: Result, profile: Profile): string {
  const { schedule } = runSchedule(seed, { profile, trace: true });
  return [`SIMULATION_SEED=${seed}: ${violation?.message}`, ...schedule.slice(-SHOWN_LINES)].join('\n');
}

describe('the simulation', () => {
  it.each([
    ['usual', USUAL, 3_000],
    ['stopped at changes', STOPPED_AT_CHANGES, 200],
    ['cuts', CUTS, 200],
    ['restarts', RESTARTS, 200],
    ['slow feeds', SLOW_FEEDS, 200],
    ['rolling', ROLLING, 300],
  ])(
    'keeps every promise: %s',
    (_, profile, usual) => {
      const seeds = simulationSeeds(usual);
      const failed = seeds.map(seed => runSchedule(seed, { profile })).filter(({ violation }) => violation);
      const [first] = failed;
      if (first)
        throw new Error(`${failed.length} of ${seeds.length} schedules failed, the first:\n${told(first, profile)}`);
      expect(seeds.length).toBeGreaterThan(0);
    },
    600_000,
  );

  it('plays a seed the same way again', () => {
    const once = runSchedule(7, { trace: true });
    expect(runSchedule(7, { trace: true }).schedule).toEqual(once.schedule);
    expect(once.events).toBeGreaterThan(20);
  });
});
