/** `SIMULATION_SEED=n` plays one schedule of each profile again; `SIMULATION_SEEDS=n` plays the first n of each. */
export function simulationSeeds(usual: number): readonly number[] {
  const { SIMULATION_SEED: one, SIMULATION_SEEDS: many } = process.env;
  if (one !== undefined) return [Number(one)];
  return Array.from({ length: many === undefined ? usual : Number(many) }, (_, i) => i + 1);
}
