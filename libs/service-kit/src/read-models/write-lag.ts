import { counter, gauge } from '@stave/platform';

const behind = gauge(
  {
    name: 'stave_read_model_lag_seconds',
    help: 'Time for which the read models have not shown everything that this process has handled; 0 in replicas that do not write',
    labels: ['service'],
  },
  'highest',
);
export const writeFailures = counter({
  name: 'stave_read_model_failures_total',
  help: 'Writes of read models that failed and are repeated',
  labels: ['service'],
});

/** Measures for how long the read models of one service have been behind; without a service nothing is shown. */
export class WriteLag {
  /** Since when something is not written, and when the write in progress has begun; in monotonic milliseconds. */
  private since: number | undefined;
  private begun = 0;

  constructor(service: string | undefined) {
    if (service !== undefined) behind.from({ service }, this, ({ lagMs }) => lagMs / 1_000);
  }

  note(isBehind: boolean): void {
    if (isBehind) this.since ??= performance.now();
  }

  begin(): void {
    this.begun = performance.now();
  }

  /** A write has ended. What is behind since then came after it had begun. */
  wrote(isBehind: boolean): void {
    this.since = isBehind ? this.begun : undefined;
  }

  /** Another replica writes from now on. */
  forget(): void {
    this.since = undefined;
  }

  private get lagMs(): number {
    return this.since === undefined ? 0 : performance.now() - this.since;
  }
}
