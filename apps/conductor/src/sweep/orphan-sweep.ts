import { Injectable } from '@nestjs/common';
import type { OrphanRemoved, OrphanVerdictReply, OrphanVerdictRequest } from '@stave/contracts';
import type { Unit, UnitKind } from '@stave/driver-sdk';
import { ConductorContext } from '../conductor.context.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import { HealthWatch } from '../health/health-watch.js';
import { isRetriable, ServiceClient, serviceOf } from '../service-client.js';
import type { Session } from '../session/session.js';
import { backoffMs, jitter } from '../time/backoff.js';
import { pause } from '../time/clock.js';
import { OrphanCandidates, type ClassifiedUnit, type Orphan } from './orphan-candidates.js';
import { countOrphan } from '../work/task-measures.js';

const CHUNK = 500;
/** Sweeps of many units are rarer, so that they take a small part of the time: 100,000 units are swept every 100 s. */
const UNITS_PER_MS = 1;

/** Removes units from the infrastructure that carry this installation's labels and belong to no resource. */
@Injectable()
export class OrphanSweep {
  private readonly candidates = new Map<OpenDriver, OrphanCandidates>();
  private readonly listed = new Map<OpenDriver, number>();

  constructor(
    private readonly client: ServiceClient,
    private readonly health: HealthWatch,
    private readonly context: ConductorContext,
  ) {}

  run(session: Session, open: OpenDriver): void {
    const { clock, times } = this.context;
    const { goneGraceMs, neverGraceMs, sweepPeriodMs } = times;
    const candidates = this.candidates.get(open) ?? new OrphanCandidates({ gone: goneGraceMs, never: neverGraceMs });
    this.candidates.set(open, candidates);
    const periodMs = jitter(Math.max(sweepPeriodMs, (this.listed.get(open) ?? 0) / UNITS_PER_MS));
    const delayMs = Math.min(periodMs, candidates.nextDueMs(clock.now()) ?? periodMs);
    session.after(delayMs, () => {
      void this.sweep(session, open, candidates)
        .catch((error: unknown) => open.log.warn({ err: error, session: session.id }, 'orphan sweep failed'))
        .finally(() => session.isAlive() && this.run(session, open));
    });
  }

  private async sweep(session: Session, open: OpenDriver, candidates: OrphanCandidates): Promise<void> {
    const units = await open.driver.list(open.sessionContext(session, 'sweep'));
    this.listed.set(open, units.length);
    const classified: ClassifiedUnit[] = [];
    const unexpected = units.filter(unit => !this.health.isExpectedNode(open, unit));
    for (const kind of ['container', 'network', 'volume', 'node', 'cluster'] as const) {
      const ofKind = unexpected.filter(unit => unit.kind === kind);
      for (let at = 0; at < ofKind.length; at += CHUNK)
        classified.push(...(await this.classify(session, open, kind, ofKind.slice(at, at + CHUNK))));
    }
    for (const orphan of candidates.due(classified, this.context.clock.now())) await this.remove(session, open, orphan);
  }

  /** Asks the owning service to classify units of one kind by their streams. Without an answer the verdict is undefined. */
  private async classify(
    session: Session,
    open: OpenDriver,
    kind: UnitKind,
    units: readonly Unit[],
  ): Promise<ClassifiedUnit[]> {
    const request: OrphanVerdictRequest = {
      units: units.map(unit => ({ resourceId: unit.resourceId, kind, generation: unit.generation, ...placeOf(unit) })),
    };
    try {
      const { verdicts } = await this.client.ask<OrphanVerdictReply>(serviceOf[kind], ['orphan', 'classify'], request);
      if (verdicts.length !== units.length) throw new Error(`${verdicts.length} verdicts for ${units.length} units`);
      return units.map((unit, index) => ({ unit, verdict: verdicts[index] }));
    } catch (error) {
      open.log.warn({ err: error, session: session.id }, 'units were not classified');
      return units.map(unit => ({ unit, verdict: undefined }));
    }
  }

  /** The next sweep tries again to remove a unit whose removal failed. */
  private async remove(session: Session, open: OpenDriver, { unit, verdict }: Orphan): Promise<void> {
    const ctx = open.sessionContext(session, 'sweep', unit.generation);
    const fields = { session: session.id, resource: unit.resourceId, unit: unit.infrastructureId, verdict };
    try {
      ctx.checkpoint();
      await open.driver.remove(ctx, unit);
    } catch (error) {
      open.log.warn({ ...fields, err: error }, 'orphan was not removed');
      return;
    }
    this.context.counters.sweptOrphans++;
    countOrphan(open.manifest.name);
    open.log.info(fields, 'orphan removed');
    const { resourceId, kind, generation, infrastructureId } = unit;
    const place = placeOf(unit);
    const by = { conductor: this.context.id, driver: open.manifest.name };
    await this.report(session, open, { ...by, resourceId, kind, generation, infrastructureId, ...place, verdict });
  }

  private async report(session: Session, open: OpenDriver, removed: OrphanRemoved): Promise<void> {
    const { clock, times } = this.context;
    for (let attempt = 0; session.isAlive(); attempt++) {
      try {
        await this.client.ask<unknown>(serviceOf[removed.kind], ['orphan', 'removed'], removed);
        return;
      } catch (error) {
        if (!isRetriable(error)) return open.log.error({ err: error, removed }, 'report of a removed orphan refused');
        await pause(clock, backoffMs(attempt, times.retry), session.signal);
      }
    }
    open.log.warn({ removed }, 'removed orphan was not reported, because the session ended');
  }
}

/** Returns where a network or volume exists, which its service needs for a verdict. */
function placeOf({ kind, clusterId, nodeId }: Unit): Pick<OrphanRemoved, 'clusterId' | 'nodeId'> {
  if (kind !== 'network' && kind !== 'volume') return {};
  return { clusterId, ...(nodeId !== undefined && { nodeId }) };
}
