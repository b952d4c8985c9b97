const counts = new Map<string, number>();

/** Counts an event of a newer release: `skipped` because nothing here depends on it, or `unreadable`, which ends the commands of a service. */
export function countNewerEvent(handling: 'skipped' | 'unreadable'): void {
  counts.set(handling, (counts.get(handling) ?? 0) + 1);
}

/** Returns the number of events of newer releases that the services of this process have met, by their handling. */
export const newerEventCounts = (): ReadonlyMap<string, number> => counts;
