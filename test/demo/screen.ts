const started = performance.now();

/** Seconds since the demonstration began. */
export const elapsed = (): string => `${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s`;

/** Output for people: one headline per step, short lines below it. */
export const screen = {
  step: (title: string): void => console.log(`\n${elapsed()}  ${title}`),
  line: (text: string): void => console.log(`${elapsed()}    ${text}`),
  plain: (text: string): void => console.log(text),
};

/** Rows with their columns as wide as their widest cell. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map(row => columns.map(column => String(row[column] ?? '')))];
  const widths = columns.map((_, i) => Math.max(...cells.map(row => row[i]?.length ?? 0)));
  for (const row of cells)
    console.log(`           ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd());
}

/** What must hold for the demonstration to count as passed. */
export class Checks {
  private readonly failed: string[] = [];
  private passed = 0;

  constructor(private readonly signal: AbortSignal) {}

  /** Says what was found, and keeps it for the end when it is not as it should be. Throws when the story was broken off. */
  expect(holds: boolean, what: string): void {
    this.signal.throwIfAborted();
    if (holds) this.passed += 1;
    else this.failed.push(what);
    screen.line(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  }

  /** The exit code. */
  conclude(): number {
    screen.step(
      this.failed.length === 0
        ? `Everything was as it should be (${this.passed} checks)`
        : `${this.failed.length} of ${this.failed.length + this.passed} checks failed:`,
    );
    for (const what of this.failed) screen.line(what);
    return this.failed.length === 0 ? 0 : 1;
  }
}
