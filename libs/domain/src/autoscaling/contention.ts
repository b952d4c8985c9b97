/** Who changed the desired number of a set: the autoscaler, or another actor by name. */
export interface DesiredChange {
  /** Milliseconds. */
  readonly at: number;
  /** Undefined for the autoscaler itself. */
  readonly actor?: string;
}

export interface Contention {
  /** Milliseconds. */
  readonly until: number;
  /** The other actor. */
  readonly actor: string;
}

const ALTERNATIONS = 3;
const WITHIN_MS = 600_000;
const YIELD_MS = 3_600_000;

/**
 * Returns the other actor that changes the number back and forth with the autoscaler, and until when the autoscaler yields to it: three
 * alternations within ten minutes cost it an hour. `changes`: in order of time.
 */
export function contentionIn(changes: readonly DesiredChange[], now: number): Contention | undefined {
  const alternations = changes.filter((change, i) => {
    const before = changes[i - 1];
    return before !== undefined && (before.actor === undefined) !== (change.actor === undefined);
  });
  for (let i = alternations.length - 1; i >= ALTERNATIONS - 1; i -= 1) {
    const [first, last] = [alternations[i - ALTERNATIONS + 1], alternations[i]];
    if (!first || !last || last.at + YIELD_MS <= now) return undefined;
    if (last.at - first.at > WITHIN_MS) continue;
    const other = changes.findLast(({ at, actor }) => at <= last.at && actor !== undefined);
    return { until: last.at + YIELD_MS, actor: other?.actor ?? '' };
  }
  return undefined;
}
