import type { Unit } from '@stave/driver-sdk';

export type Verdict = 'live' | 'gone' | 'never';
export type OrphanVerdict = Exclude<Verdict, 'live'>;

/** A unit with what its service said of it; undefined when it did not answer. */
export interface ClassifiedUnit {
  readonly unit: Unit;
  readonly verdict: Verdict | undefined;
}

export interface Orphan {
  readonly unit: Unit;
  readonly verdict: OrphanVerdict;
}

export type GraceMs = Readonly<Record<OrphanVerdict, number>>;

/** Remembers since when units of one driver count as orphans. */
export class OrphanCandidates {
  private readonly since = new Map<string, { readonly verdict: OrphanVerdict; readonly at: number }>();

  constructor(private readonly graceMs: GraceMs) {}

  /**
   * Takes the verdicts of one sweep; returns what may be removed: it got the same verdict in an earlier sweep too and its grace
   * is over. No answer neither starts nor ends a grace.
   */
  sift(judged: readonly ClassifiedUnit[], now: number): readonly Orphan[] {
    this.forgetAllBut(new Set(judged.map(({ unit }) => unit.infrastructureId)));
    return judged.flatMap(({ unit, verdict }) => {
      if (verdict === undefined) return [];
      return verdict === 'live' ? this.alive(unit) : this.orphan({ unit, verdict }, now);
    });
  }

  /** Milliseconds until the next grace is over; undefined without candidates. */
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
