/** A fact about the event log, which stays true because events never change. */
export interface TimeMark {
  /** The position of an event. */
  readonly position: number;
  /** The latest time of all events up to and including that one, ISO 8601 in UTC. */
  readonly latest: string;
}

/** The answer of cluster-service to `time-mark.lookup`: a mark before the time; null where it has none. */
export interface TimeMarkReply {
  readonly mark: TimeMark | null;
}
