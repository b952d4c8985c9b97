const started = performance.now();

/** Returns the seconds since the demonstration began. */
export const elapsed = (): string => `${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s`;

/** Prints the steps of the demonstration. */
export const screen = {
  step: (title: string): void => console.log(`\n${elapsed()}  ${title}`),
  line: (text: string): void => console.log(`${elapsed()}    ${text}`),
  plain: (text: string): void => console.log(text),
};

/** Prints rows with each column as wide as its widest cell. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map(row => columns.map(column => String(row[column] ?? '')))];
  const widths = columns.map((_, i) => Math.max(...cells.map(row => row[i]?.length ?? 0)));
  for (const row of cells)
    console.log(`           ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd());
}

export class Checks {
  private readonly failed: string[] = [];
  private passed = 0;

  constructor(private readonly signal: AbortSignal) {}

  /** Prints a check and remembers it when it failed. Throws when the demonstration was aborted. */
  expect(holds: boolean, what: string): void {
    this.signal.throwIfAborted();
    if (holds) this.passed += 1;
    else this.failed.push(what);
    screen.line(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  }

  /** Prints the result and returns the exit code. */
  conclude(): number {
    screen.step(
      this.failed.length === 0
        ? `All ${this.passed} checks passed`
        : `${this.failed.length} of ${this.failed.length + this.passed} checks failed:`,
    );
    for (const what of this.failed) screen.line(what);
    return this.failed.length === 0 ? 0 : 1;
  }
}
