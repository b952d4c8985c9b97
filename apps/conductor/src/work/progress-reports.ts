import type { ReportAnswer } from './reporter.js';
import { pause, type Clock } from '../time/clock.js';

export interface ProgressParts {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly send: (step: string, cancel: AbortSignal) => Promise<ReportAnswer>;
  readonly onAnswer: (answer: ReportAnswer) => void;
}

/** Reports the steps of one task: in order, one report at a time, only the newest step, at most one per interval. */
export class ProgressReports {
  private readonly closing = new AbortController();
  private noted: string | undefined;
  private pending: string | undefined;
  private pumping: Promise<void> | undefined;

  constructor(private readonly parts: ProgressParts) {}

  /** Reports a step later. Cheap; an unchanged step is not reported again. */
  note(step: string): void {
    if (this.closing.signal.aborted || step === this.noted) return;
    this.noted = step;
    this.pending = step;
    this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
  }

  /** Discards unsent steps. Resolves when no report is in progress, so that the final report is the last. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.pumping;
  }

  private async pump(): Promise<void> {
    const { signal } = this.closing;
    while (this.pending !== undefined && !signal.aborted) {
      await pause(this.parts.clock, this.parts.intervalMs, signal);
      const step = this.pending;
      this.pending = undefined;
      if (!signal.aborted) this.parts.onAnswer(await this.parts.send(step, signal));
    }
  }
}
