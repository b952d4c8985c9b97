import type { Unit } from '@stave/driver-sdk';

export type Verdict = 'live' | 'gone' | 'never';
type OrphanVerdict = Exclude<Verdict, 'live'>;

/** A unit with the verdict of its service; undefined when the service did not answer. */
export interface ClassifiedUnit {
  readonly unit: Unit;
  readonly verdict: Verdict | undefined;
}

export interface Orphan {
  readonly unit: Unit;
  readonly verdict: OrphanVerdict;
}

export class OrphanCandidates {
  private readonly since = new Map<string, { readonly verdict: OrphanVerdict; readonly at: number }>();

  constructor(private readonly graceMs: Readonly<Record<OrphanVerdict, number>>) {}

  /**
   * Records the verdicts of one sweep and returns the orphans to remove: those with the same verdict in an earlier sweep whose grace
   * time is over. A missing verdict neither starts nor ends a grace time.
   */
  due(classified: readonly ClassifiedUnit[], now: number): readonly Orphan[] {
    const listed = new Set(classified.map(({ unit }) => unit.infrastructureId));
    for (const id of this.since.keys()) if (!listed.has(id)) this.since.delete(id);
    return classified.flatMap(({ unit, verdict }) => {
      const known = this.since.get(unit.infrastructureId);
      if (verdict === 'live') this.since.delete(unit.infrastructureId);
      if (verdict === undefined || verdict === 'live') return [];
      if (known?.verdict === verdict) return now - known.at >= this.graceMs[verdict] ? { unit, verdict } : [];
      this.since.set(unit.infrastructureId, { verdict, at: now });
      return [];
    });
  }

  /** Returns the milliseconds until the next grace time is over; undefined without candidates. */
  nextDueMs(now: number): number | undefined {
    const due = [...this.since.values()].map(({ verdict, at }) => at + this.graceMs[verdict] - now);
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due));
  }
}
