import { cpus } from 'node:os';

export interface Figure {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: string;
  /** What the same machine did in the same run without Stave, in the same unit. */
  readonly yardstick?: number;
}

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
  process.stdout.write(`${JSON.stringify({ bench, cores: cpus().length, adapters, ...facts, results })}\n`);
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
