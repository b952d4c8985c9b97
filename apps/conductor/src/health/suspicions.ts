import type { UnitObservation } from '@stave/domain';
import type { SeenUnit } from './compare-units.js';

/** How long a resource must be seen so before it is told, in milliseconds; `undefined` at once. */
export type PatienceMs = Readonly<Partial<Record<UnitObservation['state'], number>>>;

interface Suspicion {
  readonly generation: number;
  readonly state: UnitObservation['state'];
  readonly at: number;
}

/** Remembers since when resources are seen otherwise than expected, so that one odd look decides nothing. */
export class Suspicions {
  private since = new Map<string, Suspicion>();

  constructor(private readonly patienceMs: PatienceMs) {}

  /** Takes everything that one look found; returns what was found so before, for long enough. */
  sift(seen: readonly SeenUnit[], now: number): readonly SeenUnit[] {
    const before = this.since;
    this.since = new Map(seen.map(one => [one.resourceId, this.suspicion(one, before.get(one.resourceId), now)]));
    return seen.filter(({ resourceId, state }) => {
      const at = this.since.get(resourceId)?.at ?? now;
      return now - at >= (this.patienceMs[state] ?? 0);
    });
  }

  /** Milliseconds until the next is to be told; undefined when there is none. */
  nextDueMs(now: number): number | undefined {
    const due = [...this.since.values()].map(({ state, at }) => at + (this.patienceMs[state] ?? 0) - now);
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due));
  }

  private suspicion({ generation, state }: SeenUnit, known: Suspicion | undefined, now: number): Suspicion {
    const same = known?.generation === generation && known.state === state;
    return same ? known : { generation, state, at: now };
  }
}
