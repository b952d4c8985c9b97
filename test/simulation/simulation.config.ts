/**
 * Returns the seeds to play: one with `SIMULATION_SEED=n`, the first n with `SIMULATION_SEEDS=n`, otherwise the first
 * `usual`.
 */
export function simulationSeeds(usual: number): readonly number[] {
  const { SIMULATION_SEED: one, SIMULATION_SEEDS: many } = process.env;
  if (one !== undefined) return [Number(one)];
  return Array.from({ length: many === undefined ? usual : Number(many) }, (_, i) => i + 1);
}
