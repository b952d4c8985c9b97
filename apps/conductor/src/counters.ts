/** Counts of a conductor since its start, for metrics and health. */
export interface Counters {
  claimed: number;
  done: number;
  failed: number;
  released: number;
  /** Reports that were answered `stale`, because another conductor had claimed the task. */
  stale: number;
  /** Reports that were dropped because the session ended, or refused by the service. */
  dropped: number;
  sweptOrphans: number;
  sessions: number;
  inFlight: number;
}

export function newCounters(): Counters {
  return {
    claimed: 0,
    done: 0,
    failed: 0,
    released: 0,
    stale: 0,
    dropped: 0,
    sweptOrphans: 0,
    sessions: 0,
    inFlight: 0,
  };
}
