import type { Clock } from '../time/clock.js';

/** The session may have ended: nothing may be changed on its behalf any more. */
export class SessionLostError extends Error {
  constructor() {
    super("the conductor's session may have ended");
    this.name = 'SessionLostError';
  }
}

/**
 * Says whether the session surely still lives. The services end a session when they heard nothing for the time-out; this counts
 * from the moment the last ANSWERED message was SENT, which is never later than when it was heard, and stops a margin earlier.
 * Read on the clock at each check, never by a timer, so that it holds after the process was stopped and continued.
 * Once lost it stays lost.
 */
export class SessionGuard {
  private lost = false;

  /** `limitMs`: the session's time-out minus the margin. */
  constructor(
    private readonly clock: Clock,
    private provenAt: number,
    private readonly limitMs: number,
  ) {}

  /** A message that was sent at `sentAt` was answered. Too late an answer revives nothing. */
  answered(sentAt: number): void {
    if (!this.isLost() && sentAt > this.provenAt) this.provenAt = sentAt;
  }

  get remainingMs(): number {
    return this.lost ? 0 : Math.max(0, this.provenAt + this.limitMs - this.clock.now());
  }

  isLost(): boolean {
    if (this.remainingMs <= 0) this.lost = true;
    return this.lost;
  }

  /** Throws SessionLostError when the session may have ended. */
  check(): void {
    if (this.isLost()) throw new SessionLostError();
  }

  lose(): void {
    this.lost = true;
  }
}
