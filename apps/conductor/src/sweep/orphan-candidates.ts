import type { Unit } from '@stave/driver-sdk';

export type Verdict = 'live' | 'gone' | 'never';
export type OrphanVerdict = Exclude<Verdict, 'live'>;

/** A unit with the verdict of its service; undefined when the service did not answer. */
export interface ClassifiedUnit {
  readonly unit: Unit;
  readonly verdict: Verdict | undefined;
}

export interface Orphan {
  readonly unit: Unit;
  readonly verdict: OrphanVerdict;
}

export type GraceMs = Readonly<Record<OrphanVerdict, number>>;

/** Remembers since when units of one driver are orphans. */
export class OrphanCandidates {
  private readonly since = new Map<string, { readonly verdict: OrphanVerdict; readonly at: number }>();

  constructor(private readonly graceMs: GraceMs) {}

  /**
   * Records the verdicts of one sweep and returns the orphans to remove: those with the same verdict in an earlier sweep whose grace
   * time is over. A missing verdict neither starts nor ends a grace time.
   */
  due(classified: readonly ClassifiedUnit[], now: number): readonly Orphan[] {
    this.forgetAllBut(new Set(classified.map(({ unit }) => unit.infrastructureId)));
    return classified.flatMap(({ unit, verdict }) => {
      if (verdict === undefined) return [];
      return verdict === 'live' ? this.alive(unit) : this.orphan({ unit, verdict }, now);
    });
  }

  /** Returns the milliseconds until the next grace time is over; undefined without candidates. */
  nextDueMs(now: number): number | undefined {
    const due = [...this.since.values()].map(({ verdict, at }) => at + this.graceMs[verdict] - now);
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due));
  }

  private alive(unit: Unit): readonly Orphan[] {
    this.since.delete(unit.infrastructureId);
    return [];
  }

  private orphan(orphan: Orphan, now: number): readonly Orphan[] {
    const id = orphan.unit.infrastructureId;
    const known = this.since.get(id);
    if (known?.verdict === orphan.verdict) return now - known.at >= this.graceMs[orphan.verdict] ? [orphan] : [];
    this.since.set(id, { verdict: orphan.verdict, at: now });
    return [];
  }

  private forgetAllBut(listed: ReadonlySet<string>): void {
    for (const id of this.since.keys()) if (!listed.has(id)) this.since.delete(id);
  }
}
