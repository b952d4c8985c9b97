import type { Process } from '../kernel/process.js';
import { SESSION_TIMEOUT_MS } from '../services/registrar.js';

const MARGIN_MS = 1_000;

/** The conductor's side of a session: measured from the sending of the last answered heartbeat; once lost, lost. */
export class SimSession {
  private over = false;

  constructor(
    readonly id: string,
    private readonly host: Process,
    private provenAt: number,
    private readonly guarded: boolean,
  ) {}

  answered(sentAt: number): void {
    if (this.alive && sentAt > this.provenAt) this.provenAt = sentAt;
  }

  get alive(): boolean {
    if (this.guarded && this.host.clock() - this.provenAt >= SESSION_TIMEOUT_MS - MARGIN_MS) this.over = true;
    return !this.over;
  }

  end(): void {
    this.over = true;
  }
}
