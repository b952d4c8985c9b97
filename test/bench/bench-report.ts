import { createHash } from 'node:crypto';
import { cpus, loadavg } from 'node:os';

export interface Figure {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
  /** What the same machine did in the same run without Stave, in the same unit. */
  readonly yardstick?: number;
}

/**
 * What one thread of this machine does just now: SHA-256 of short texts per second, and per second of CPU (less than at other times
 * when somebody else has a part of the core). Runs at different times are compared by it.
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

/** One JSON line and one table, with the ratio to the yardstick where there is one. */
export function report(
  bench: string,
  adapters: string,
  facts: Readonly<Record<string, unknown>>,
  figures: readonly Figure[],
): void {
  const results = figures.map(f => ({
    ...f,
    value: round(f.value),
    ...(f.yardstick !== undefined && { yardstick: round(f.yardstick), ratio: round(f.value / f.yardstick) }),
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

/** Stops the benchmark: a figure of work that was not done means nothing. */
export function mustBe(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not done: ${what}`);
}

/** Runs a benchmark's main function and ends the process with its outcome. */
export function run(main: () => Promise<void>): void {
  main().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}
