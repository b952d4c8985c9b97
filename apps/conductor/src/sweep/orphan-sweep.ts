import { Injectable } from '@nestjs/common';
import type { OrphanRemoved } from '@stave/contracts';
import { ConductorContext } from '../conductor.context.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import { isRetriable, ServiceClient, serviceOf } from '../service-client.js';
import type { Session } from '../session/session.js';
import { backoffMs, jitter } from '../time/backoff.js';
import { pause } from '../time/clock.js';
import { classifyUnits } from './classify-units.js';
import { OrphanCandidates, type Orphan } from './orphan-candidates.js';

const PERIOD_JITTER = 0.2;
/** Sweeps of many units are rarer, so that they take a small part of the time: 100,000 units are swept every 100 s. */
const UNITS_PER_MS = 1;

/** Removes units from the infrastructure that carry this installation's labels and belong to no resource. */
@Injectable()
export class OrphanSweep {
  private readonly candidates = new Map<OpenDriver, OrphanCandidates>();
  /** The number of units in the last sweep. */
  private readonly listed = new Map<OpenDriver, number>();

  constructor(
    private readonly client: ServiceClient,
    private readonly context: ConductorContext,
  ) {}

  /** Sweeps one driver's infrastructure periodically until the session ends. */
  run(session: Session, open: OpenDriver): void {
    const { clock, times } = this.context;
    const { goneGraceMs, neverGraceMs, sweepPeriodMs } = times;
    const candidates = this.candidates.get(open) ?? new OrphanCandidates({ gone: goneGraceMs, never: neverGraceMs });
    this.candidates.set(open, candidates);
    const periodMs = jitter(Math.max(sweepPeriodMs, (this.listed.get(open) ?? 0) / UNITS_PER_MS), PERIOD_JITTER);
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
    const classified = await classifyUnits(this.client, units, error =>
      open.log.warn({ err: error, session: session.id }, 'units were not classified'),
    );
    for (const orphan of candidates.due(classified, this.context.clock.now())) await this.remove(session, open, orphan);
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
    open.log.info(fields, 'orphan removed');
    const { resourceId, kind, generation, infrastructureId } = unit;
    const by = { conductor: this.context.id, driver: open.manifest.name };
    await this.report(session, open, { ...by, resourceId, kind, generation, infrastructureId, verdict });
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
