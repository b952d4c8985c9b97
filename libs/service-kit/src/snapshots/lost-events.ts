export interface LostEvents {
  /** The snapshot file that proves that the events were written. */
  readonly proof: string;
  readonly written: number;
  readonly found: number;
}

/** The log beside a snapshot ends before the events that the snapshot contains. */
export class LostEventsError extends Error {
  override readonly name = 'LostEventsError';

  constructor({ proof, written, found }: LostEvents) {
    const missing = written - found;
    super(
      `the snapshot ${proof} proves that ${written} events were written, but the event log beside it has ${found}: the last ${missing} are missing. ` +
        `Restore the files of the event log from a backup. To continue without the missing events, start once with ACCEPT_LOST_EVENTS=${missing}: ` +
        'the snapshot is deleted, what these events recorded is forgotten, and nodes and containers that only they created are removed as orphans.',
    );
  }
}
