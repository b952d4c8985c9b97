import type { ReportAnswer } from './reporter.js';
import type { Clock } from '../time/clock.js';

export interface ProgressParts {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly send: (step: string, cancel: AbortSignal) => Promise<ReportAnswer>;
  readonly onAnswer: (answer: ReportAnswer) => void;
}

/** Reports the steps of one task: in order, one report at a time, only the newest step, at most one per interval. */
export class ProgressReports {
  private closed = false;
  private noted: string | undefined;
  private pending: string | undefined;
  private pumping: Promise<void> | undefined;
  /** The report in progress. Most tasks end before their first one. */
  private sending: AbortController | undefined;
  private endPause: () => void = () => undefined;

  constructor(private readonly parts: ProgressParts) {}

  /** Reports a step later. Cheap; an unchanged step is not reported again. */
  note(step: string): void {
    if (this.closed || step === this.noted) return;
    this.noted = step;
    this.pending = step;
    this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
  }

  /** Discards unsent steps. Resolves when no report is in progress, so that the final report is the last. */
  async close(): Promise<void> {
    this.closed = true;
    this.endPause();
    this.sending?.abort();
    await this.pumping;
  }

  private async pump(): Promise<void> {
    while (this.pending !== undefined) {
      await this.pause();
      if (this.closed) return;
      const step = this.pending;
      this.pending = undefined;
      this.sending = new AbortController();
      this.parts.onAnswer(await this.parts.send(step, this.sending.signal));
      if (this.closed) return;
    }
  }

  /** Resolves after the interval, or when the reports are closed. */
  private pause(): Promise<void> {
    return new Promise(resolve => {
      const cancel = this.parts.clock.after(this.parts.intervalMs, resolve);
      this.endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
