/** Registers a check as a test of Jest. */
export type RegisterCheck = (title: string, run: () => Promise<void>) => void;

/** Registers checks and counts those that pass. */
export class ConformanceScore {
  private registered = 0;
  private passed = 0;

  constructor(private readonly timeoutMs: number) {}

  readonly check: RegisterCheck = (title, run) => {
    this.registered += 1;
    it(
      title,
      async () => {
        await run();
        this.passed += 1;
      },
      this.timeoutMs,
    );
  };

  /** Returns a line of text with the number of checks that passed. */
  summary(driver: string): string {
    return `conformance of ${driver}: ${this.passed} of ${this.registered} checks passed\n`;
  }
}
