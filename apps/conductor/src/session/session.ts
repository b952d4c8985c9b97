import { setMaxListeners } from 'node:events';
import type { RegisterReply } from '@stave/contracts';
import type { Clock } from '../time/clock.js';
import type { SessionGuard } from './session-guard.js';

/**
 * `expired`: the guard's limit passed; `ended`: a service ended it; `disconnected`: the connection to the message server broke; `left`: the
 * conductor left the ring; `killed`: simulates the death of the process.
 */
export type SessionEnd = 'expired' | 'ended' | 'disconnected' | 'left' | 'killed';

/** One registration of a conductor. Everything that runs for it stops when it ends. */
export class Session {
  private readonly controller = new AbortController();
  private readonly cleanups = new Set<() => void>();
  private endedBy: SessionEnd | undefined;

  constructor(
    readonly id: string,
    readonly terms: RegisterReply,
    readonly guard: SessionGuard,
    private readonly clock: Clock,
  ) {
    setMaxListeners(0, this.controller.signal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get end(): SessionEnd | undefined {
    return this.endedBy;
  }

  get endedUnexpectedly(): boolean {
    return this.endedBy === 'expired' || this.endedBy === 'ended' || this.endedBy === 'disconnected';
  }

  /** Returns whether side effects are allowed now. Ends the session when its guard has expired. */
  isAlive(): boolean {
    if (this.endedBy === undefined && this.guard.isLost()) this.finish('expired');
    return this.endedBy === undefined;
  }

  /** Ends the session; later calls have no effect. */
  finish(reason: SessionEnd): void {
    if (this.endedBy !== undefined) return;
    this.endedBy = reason;
    this.guard.lose();
    this.controller.abort();
    for (const cleanup of this.cleanups) cleanup();
    this.cleanups.clear();
  }

  /** Runs `cleanup` when the session ends, or at once when it has ended. The returned function removes it. */
  onEnd(cleanup: () => void): () => void {
    if (this.endedBy === undefined) this.cleanups.add(cleanup);
    else cleanup();
    return () => this.cleanups.delete(cleanup);
  }

  /** Runs `action` once after `ms`, unless the session ends before. The returned function cancels it. */
  after(ms: number, action: () => void): () => void {
    if (this.endedBy !== undefined) return () => undefined;
    const stopTimer = this.clock.after(ms, () => {
      forget();
      action();
    });
    const forget = this.onEnd(stopTimer);
    return () => {
      stopTimer();
      forget();
    };
  }

  ended(): Promise<SessionEnd> {
    return new Promise(resolve => this.onEnd(() => resolve(this.endedBy ?? 'ended')));
  }
}
