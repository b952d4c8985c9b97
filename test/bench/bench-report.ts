import { createHash } from 'node:crypto';
import { cpus, loadavg } from 'node:os';

export interface Figure {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
  /** The figure that the same machine reached in the same run without Stave, in the same unit. */
  readonly baseline?: number;
}

/**
 * Measures the current speed of one thread: SHA-256 hashes of short texts per second and per CPU second (fewer per
 * second when other processes share the core). It makes runs at different times comparable.
 */
function sha256Rate(): { readonly perSecond: number; readonly perCpuSecond: number } {
  const begin = process.cpuUsage();
  const end = performance.now() + 200;
  let count = 0;
  for (; performance.now() < end; count += 1) createHash('sha256').update(`calibration-${count}`).digest();
  const { user, system } = process.cpuUsage(begin);
  return { perSecond: count * 5, perCpuSecond: Math.round((count * 1e6) / (user + system)) };
}

const before = sha256Rate();

/** Prints one JSON line and one table, with the ratio to the baseline where there is one. */
export function report(
  bench: string,
  adapters: string,
  facts: Readonly<Record<string, unknown>>,
  figures: readonly Figure[],
): void {
  const results = figures.map(f => ({
    ...f,
    value: round(f.value),
    ...(f.baseline !== undefined && { baseline: round(f.baseline) }),
    ...(f.baseline && { ratio: round(f.value / f.baseline) }),
  }));
  const machine = {
    cores: cpus().length,
    load: round(loadavg()[0] ?? 0),
    sha256: { before, after: sha256Rate() },
  };
  process.stdout.write(`${JSON.stringify({ bench, ...machine, adapters, ...facts, results })}\n`);
  console.table(results);
}

const round = (value: number): number => Number(value.toPrecision(4));

/** Throws when a condition does not hold, so that no figure is reported for work that was not done. */
export function mustBe(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the benchmark did not do its work: ${what}`);
}

/** Runs a benchmark and ends the process with exit code 0 or 1. */
export function run(main: () => Promise<void>): void {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}
