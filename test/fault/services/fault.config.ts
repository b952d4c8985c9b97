/** Whether `FAULT_STEPS=all` asks for every step, including those that differ only in their number. */
export function walksAllSteps(): boolean {
  return process.env['FAULT_STEPS'] === 'all';
}
