/** The seeds to play: `SIMULATION_SEED=n` plays one, `SIMULATION_SEEDS=n` the first n, and otherwise the usual number. */
export function simulationSeeds(usual: number): readonly number[] {
  const { SIMULATION_SEED: one, SIMULATION_SEEDS: many } = process.env;
  if (one !== undefined) return [Number(one)];
  return Array.from({ length: many === undefined ? usual : Number(many) }, (_, i) => i + 1);
}
