interface Heard {
  readonly at: number;
  readonly time: string;
  readonly load: number;
}

/** What this replica heard of whom, by session: another session of the same member says nothing about this one. */
export class HeartbeatLog {
  private readonly heard = new Map<string, Heard>();
  private readonly seenAt = new Map<string, number>();

  /** `nowMs`: a monotonic clock. */
  constructor(private readonly nowMs: () => number) {}

  take(session: string, load: number): void {
    this.heard.set(session, { at: this.nowMs(), time: new Date().toISOString(), load });
  }

  /** When it was last heard, on the monotonic clock; a session that was never heard counts from when it was first asked about here. */
  lastAt(session: string): number {
    const at = this.heard.get(session)?.at ?? this.seenAt.get(session) ?? this.nowMs();
    if (!this.heard.has(session)) this.seenAt.set(session, at);
    return at;
  }

  /** ISO 8601. */
  lastTime(session: string): string | undefined {
    return this.heard.get(session)?.time;
  }

  /** Tasks in flight, as of the last heartbeat. */
  load(session: string): number {
    return this.heard.get(session)?.load ?? 0;
  }

  /** Forgets all sessions but these. */
  keep(live: ReadonlySet<string>): void {
    for (const known of [this.heard, this.seenAt])
      for (const session of known.keys()) if (!live.has(session)) known.delete(session);
  }
}
