import type { Heartbeat } from '@stave/contracts';

interface Heard {
  readonly at: number;
  readonly time: string;
  readonly load: number;
  readonly server: string | undefined;
  readonly suspectedLosses: number;
  readonly suspectedContainerLosses: number;
}

/** The heartbeats that this replica received, by session: those of another session of the same member do not count. */
export class HeartbeatLog {
  private readonly heard = new Map<string, Heard>();
  private readonly seenAt = new Map<string, number>();

  /** `nowMs` is a monotonic clock. */
  constructor(private readonly nowMs: () => number) {}

  take({ session, load, server, ...suspected }: Omit<Heartbeat, 'member' | 'sequence'>): void {
    const { suspectedLosses = 0, suspectedContainerLosses = 0 } = suspected;
    const figures = { load, server, suspectedLosses, suspectedContainerLosses };
    this.heard.set(session, { at: this.nowMs(), time: new Date().toISOString(), ...figures });
  }

  /** Returns the message server to which the last heartbeat was sent. */
  server(session: string): string | undefined {
    return this.heard.get(session)?.server;
  }

  /** Returns the time of the last heartbeat on the monotonic clock; for a session without one, the time of the first call. */
  lastAt(session: string): number {
    const at = this.heard.get(session)?.at ?? this.seenAt.get(session) ?? this.nowMs();
    if (!this.heard.has(session)) this.seenAt.set(session, at);
    return at;
  }

  /** Returns the time of the last heartbeat in ISO 8601. */
  lastTime(session: string): string | undefined {
    return this.heard.get(session)?.time;
  }

  /** Returns the tasks in flight that the last heartbeat reported. */
  load(session: string): number {
    return this.heard.get(session)?.load ?? 0;
  }

  /** Returns the missing nodes and containers whose loss the last heartbeat suspected. */
  suspected(session: string): Pick<Heard, 'suspectedLosses' | 'suspectedContainerLosses'> {
    const { suspectedLosses = 0, suspectedContainerLosses = 0 } = this.heard.get(session) ?? {};
    return { suspectedLosses, suspectedContainerLosses };
  }

  /** Removes all sessions but these. */
  keep(live: ReadonlySet<string>): void {
    for (const known of [this.heard, this.seenAt])
      for (const session of known.keys()) if (!live.has(session)) known.delete(session);
  }
}
