/** Registers checks as tests and counts those that pass. */
export class Scoring {
  private registered = 0;
  private passed = 0;

  constructor(private readonly timeoutMs: number) {}

  check(name: string, run: () => Promise<void>): void {
    this.registered += 1;
    it(
      name,
      async () => {
        await run();
        this.passed += 1;
      },
      this.timeoutMs,
    );
  }

  /** One line for people. */
  line(driver: string): string {
    return `conformance of ${driver}: ${this.passed} of ${this.registered} checks passed\n`;
  }
}
