import type { Process } from '../kernel/process.js';
import type { Mutation } from '../world/mutation.js';
import type { Models } from './models.js';
import type { Registrar } from './registrar.js';

export const SESSION_TIMEOUT_MS = 8_000;
const LOOK_MS = 500;
const STOOD_STILL_MS = 2_000;

export interface BeatAnswer {
  readonly status: 'ok' | 'ended' | 'unknown';
  readonly epoch: number;
}

/** Hears heartbeats and ends silent sessions as apps/cluster-service/src/ring/session-keeper.ts does. */
export class SessionKeeper {
  private readonly heard = new Map<string, number>();
  /**
   * Their end is under way. As in the product, and sound: it only withholds answers. No schedule needs it: an end is decided after a
   * whole time-out in which this replica answered nothing, so the guard has closed, unless another one believed to be elected for
   * longer than the margin; and that one would go on answering.
   */
  private readonly condemned = new Set<string>();
  private listeningSince: number | undefined;
  private lookedAt = 0;

  constructor(
    private readonly host: Process,
    private readonly models: Models,
    private readonly registrar: Registrar,
    private readonly mutation?: Mutation,
  ) {}

  /** Elected, or not any more. */
  lead(leads: boolean): void {
    if (!leads) this.listeningSince = undefined;
    else if (this.listeningSince === undefined) {
      this.listeningSince = this.lookedAt = this.host.clock();
      this.condemned.clear();
    }
  }

  start(): void {
    this.look();
    this.host.after(LOOK_MS, () => this.start());
  }

  beat(session: string): BeatAnswer {
    const { ring } = this.models;
    const lives = ring.isLive(session) && !this.condemned.has(session);
    if (lives) this.heard.set(session, this.host.clock());
    const counts = lives && (this.listeningSince !== undefined || this.mutation === 'any-answer');
    const status = counts ? 'ok' : ring.ringState.ended.has(session) ? 'ended' : 'unknown';
    return { status, epoch: ring.epoch };
  }

  private look(): void {
    if (this.listeningSince === undefined) return;
    const now = this.host.clock();
    if (now - this.lookedAt > STOOD_STILL_MS) this.listeningSince = now;
    this.lookedAt = now;
    for (const { conductor, session } of this.models.ring.members()) {
      const since = Math.max(this.lastAt(session, now), this.listeningSince);
      if (now - since > SESSION_TIMEOUT_MS) this.end(conductor, session);
    }
  }

  /** A session that joined through another replica is given a whole time-out from when it was first seen here. */
  private lastAt(session: string, now: number): number {
    if (!this.heard.has(session) && this.mutation !== 'first-seen') this.heard.set(session, now);
    return this.heard.get(session) ?? Number.NEGATIVE_INFINITY;
  }

  private end(conductor: string, session: string): void {
    this.condemned.add(session);
    this.registrar.expire(conductor, session, ended => ended && this.condemned.delete(session));
  }
}
