import { runSchedule, type Result } from './run-schedule.js';
import { simulationSeeds } from './simulation.config.js';

function told({ seed, violation }: Result): string {
  const { schedule } = runSchedule(seed, { trace: true });
  return [`SIMULATION_SEED=${seed}: ${violation?.message}`, ...schedule].join('\n');
}

describe('the simulation', () => {
  const seeds = simulationSeeds(300);

  it(`keeps every promise in ${seeds.length} schedules`, () => {
    const failed = seeds.map(seed => runSchedule(seed)).filter(({ violation }) => violation);
    const [first] = failed;
    if (first) throw new Error(`${failed.length} schedules failed, the first:\n${told(first)}`);
    expect(failed).toEqual([]);
  }, 600_000);

  it('plays a seed the same way again', () => {
    const once = runSchedule(7, { trace: true });
    expect(runSchedule(7, { trace: true }).schedule).toEqual(once.schedule);
    expect(once.events).toBeGreaterThan(20);
  });
});
