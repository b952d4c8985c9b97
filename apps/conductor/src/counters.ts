/** What a conductor did since its start; counted for metrics and health. */
export interface Counters {
  claimed: number;
  done: number;
  failed: number;
  released: number;
  /** Reports answered `stale`: the task was somebody else's by then. */
  stale: number;
  /** Reports dropped because their session ended, or refused by the service. */
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
