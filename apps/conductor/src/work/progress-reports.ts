import type { ReportAnswer } from './reporter.js';
import { pause, type Clock } from '../time/clock.js';

export interface ProgressParts {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly send: (step: string, giveUp: AbortSignal) => Promise<ReportAnswer>;
  readonly onAnswer: (answer: ReportAnswer) => void;
}

/** Reports of one task's steps: in order, one at a time, the newest step only; a step that lasts less than the interval is not worth one. */
export class ProgressReports {
  private readonly closing = new AbortController();
  private noted: string | undefined;
  private pending: string | undefined;
  private pumping: Promise<void> | undefined;

  constructor(private readonly parts: ProgressParts) {}

  /** Cheap; a step that did not change is not reported again. */
  note(step: string): void {
    if (this.closing.signal.aborted || step === this.noted) return;
    this.noted = step;
    this.pending = step;
    this.pumping ??= this.pump().finally(() => (this.pumping = undefined));
  }

  /** Drops what was not sent; resolves when nothing is under way, so that the final report comes last. */
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
