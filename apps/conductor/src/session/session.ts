import { setMaxListeners } from 'node:events';
import type { RegisterReply } from '@stave/contracts';
import type { Clock } from '../time/clock.js';
import type { SessionGuard } from './session-guard.js';

/** `expired`: given up by our own clock; `ended`: a service said so; `left`: drained; `killed`: as if the process had died. */
export type SessionEnd = 'expired' | 'ended' | 'left' | 'killed';

/** One registration, from its answer to its end. Everything that runs on its behalf stops at its end. */
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

  /** Undefined while it lives. */
  get end(): SessionEnd | undefined {
    return this.endedBy;
  }

  /** It ended while its conductor goes on, which did not ask for that. */
  get isOutlived(): boolean {
    return this.endedBy === 'expired' || this.endedBy === 'ended';
  }

  /** Whether side effects are allowed right now; notices an expiry by itself. */
  isAlive(): boolean {
    if (this.endedBy === undefined && this.guard.isLost()) this.finish('expired');
    return this.endedBy === undefined;
  }

  /** Ends it, once. */
  finish(reason: SessionEnd): void {
    if (this.endedBy !== undefined) return;
    this.endedBy = reason;
    this.guard.lose();
    this.controller.abort();
    for (const cleanup of this.cleanups) cleanup();
    this.cleanups.clear();
  }

  /** Runs `cleanup` at the session's end; at once when it is over. The returned function takes it back. */
  onEnd(cleanup: () => void): () => void {
    if (this.endedBy === undefined) this.cleanups.add(cleanup);
    else cleanup();
    return () => this.cleanups.delete(cleanup);
  }

  /** Runs `action` once after `ms` unless the session ended or it was cancelled. */
  after(ms: number, action: () => void): () => void {
    if (this.endedBy !== undefined) return () => undefined;
    const stop = (): void => {
      stopTimer();
      forget();
    };
    const stopTimer = this.clock.after(ms, () => {
      forget();
      action();
    });
    const forget = this.onEnd(stopTimer);
    return stop;
  }

  /** Resolves at the session's end. */
  ended(): Promise<SessionEnd> {
    return new Promise(resolve => this.onEnd(() => resolve(this.endedBy ?? 'ended')));
  }
}
