import { systemClock, type Clock } from '../time/clock.js';

/** The system clock, which can jump forward as it does for a suspended process: timers do not fire for the skipped time. */
export class ShiftableClock implements Clock {
  private shiftMs = 0;

  now(): number {
    return systemClock.now() + this.shiftMs;
  }

  after(ms: number, action: () => void): () => void {
    return systemClock.after(ms, action);
  }

  jump(ms: number): void {
    this.shiftMs += ms;
  }
}
