/** Returns whether `FAULT_STEPS=all` requests every step, including those that differ only in their number. */
export function walksAllSteps(): boolean {
  return process.env['FAULT_STEPS'] === 'all';
}
