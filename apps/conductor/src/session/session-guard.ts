import type { Clock } from '../time/clock.js';

/** The session may have ended, so that no further change is allowed for it. */
export class SessionLostError extends Error {
  constructor() {
    super("the conductor's session may have ended");
    this.name = 'SessionLostError';
  }
}

/**
 * Decides whether the session is certainly alive. The services end a session when they received nothing for its timeout. The guard
 * counts from the moment when the last answered message was sent, which is not later than when it was received, and stops a margin
 * earlier. It reads the clock at each check instead of using a timer, so that it also holds after the process was suspended. A lost
 * session stays lost.
 */
export class SessionGuard {
  private lost = false;

  /** `provenAt`: when the last answered message was sent. `limitMs`: the session's timeout minus the margin. */
  constructor(
    private readonly clock: Clock,
    private provenAt: number,
    private readonly limitMs: number,
  ) {}

  /** Records the answer to a message that was sent at `sentAt`. An answer after the limit has no effect. */
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
