/** `FAULT_SEED=n` kills at the same moments again. */
export function faultSeed(): number {
  const { FAULT_SEED: given } = process.env;
  return given === undefined ? Math.floor(Math.random() * 1_000_000) : Number(given);
}
