/** `FAULT_STEPS=all`: every step of a walk, also those that differ in their number only. */
export function walksAllSteps(): boolean {
  return process.env['FAULT_STEPS'] === 'all';
}
