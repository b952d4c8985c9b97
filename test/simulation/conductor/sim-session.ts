import type { Process } from '../kernel/process.js';
import { SESSION_TIMEOUT_MS } from '../services/session-keeper.js';
import type { Mutation } from '../world/mutation.js';

/** As in the conductor's settings: a quarter of the time-out. */
const LIMIT_MS = SESSION_TIMEOUT_MS * 0.75;

/** The conductor's side of a session: measured from the sending of the last answered heartbeat; once lost, lost. */
export class SimSession {
  private over = false;

  constructor(
    readonly id: string,
    private readonly host: Process,
    private provenAt: number,
    private readonly mutation?: Mutation,
  ) {}

  answered(sentAt: number): void {
    if (this.alive && sentAt > this.provenAt) this.provenAt = sentAt;
  }

  get alive(): boolean {
    if (this.mutation !== 'session-guard' && this.host.clock() - this.provenAt >= LIMIT_MS) this.over = true;
    return !this.over;
  }

  end(): void {
    this.over = true;
  }
}
