/** Returns the CPUs in thousandths, as a whole number, so that sums are exact. */
export const milli = (cpus: number): number => Math.round(cpus * 1000);
