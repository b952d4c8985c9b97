/** `FAULT_SEED=n` kills at the same moments again. */
export function faultSeed(): number {
  const { FAULT_SEED: given } = process.env;
  return given === undefined ? Math.floor(Math.random() * 1_000_000) : Number(given);
}

/** `FAULT_STEPS=all`: every step of a walk, also those that differ in their number only. */
export function walksAllSteps(): boolean {
  return process.env['FAULT_STEPS'] === 'all';
}
