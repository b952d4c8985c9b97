import { systemClock, type Clock } from '../time/clock.js';

/** The system's clock, which can be moved on as it moves for a process that was stopped: its timers do not fire meanwhile. */
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
