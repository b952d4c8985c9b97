import type { OrphanRemoved } from '@stave/contracts';
import type { DriverContext } from '@stave/driver-sdk';
import type { ConductorTimes } from '../config/conductor.settings.js';
import type { Counters } from '../counters.js';
import type { OpenDriver } from '../drivers/driver-pool.js';
import { isWorthRepeating, type ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import { backoffMs, jitter } from '../time/backoff.js';
import { pause, type Clock } from '../time/clock.js';
import { serviceOf } from '../work/reporter.js';
import { classifyUnits } from './classify-units.js';
import { OrphanCandidates, type Orphan } from './orphan-candidates.js';

const PERIOD_JITTER = 0.2;
/** Of very many units a sweep is made more rarely, so that sweeping takes a small part of the time: of 100,000 every 100 s. */
const UNITS_PER_MS = 1;

export interface OrphanSweepParts {
  readonly client: ServiceClient;
  readonly conductor: string;
  readonly clock: Clock;
  readonly times: ConductorTimes;
  readonly counters: Counters;
}

/** Removes from the infrastructure what carries this installation's labels and has no place in any stream. */
export class OrphanSweep {
  private readonly candidates = new Map<OpenDriver, OrphanCandidates>();
  /** How many units the last sweep saw. */
  private readonly listed = new Map<OpenDriver, number>();

  constructor(private readonly parts: OrphanSweepParts) {}

  /** Sweeps one driver's infrastructure again and again until the session ends. */
  run(session: Session, open: OpenDriver): void {
    const { clock, times } = this.parts;
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
    const units = await open.driver.list(this.context(session, open, 0));
    this.listed.set(open, units.length);
    const judged = await classifyUnits(this.parts.client, units, error =>
      open.log.warn({ err: error, session: session.id }, 'orphans were not judged'),
    );
    for (const orphan of candidates.sift(judged, this.parts.clock.now())) await this.remove(session, open, orphan);
  }

  /** One that fails is tried again by the next sweep. */
  private async remove(session: Session, open: OpenDriver, { unit, verdict }: Orphan): Promise<void> {
    const ctx = this.context(session, open, unit.generation);
    const fields = { session: session.id, resource: unit.resourceId, unit: unit.infrastructureId, verdict };
    try {
      ctx.checkpoint();
      await open.driver.remove(ctx, unit);
    } catch (error) {
      open.log.warn({ ...fields, err: error }, 'orphan was not removed');
      return;
    }
    this.parts.counters.sweptOrphans++;
    open.log.info(fields, 'orphan removed');
    const { resourceId, kind, generation, infrastructureId } = unit;
    const { conductor } = this.parts;
    const driver = open.manifest.name;
    await this.report(session, open, { conductor, driver, resourceId, kind, generation, infrastructureId, verdict });
  }

  private async report(session: Session, open: OpenDriver, removed: OrphanRemoved): Promise<void> {
    const { client, clock, times } = this.parts;
    for (let attempt = 0; session.isAlive(); attempt++) {
      try {
        await client.ask<unknown>(serviceOf[removed.kind], ['orphan', 'removed'], removed);
        return;
      } catch (error) {
        if (!isWorthRepeating(error))
          return open.log.error({ err: error, removed }, 'report of a removed orphan refused');
        await pause(clock, backoffMs(attempt, times.retry), session.signal);
      }
    }
    open.log.warn({ removed }, 'removed orphan was not reported: the session ended');
  }

  private context(session: Session, open: OpenDriver, generation: number): DriverContext {
    return {
      signal: AbortSignal.any([session.signal, AbortSignal.timeout(this.parts.times.sweepTimeoutMs)]),
      log: open.log,
      now: () => this.parts.clock.now(),
      secrets: open.secrets,
      progress: () => undefined,
      task: { taskId: `sweep:${session.id}`, attempt: 0, generation },
      checkpoint: () => {
        session.isAlive();
        session.guard.check();
      },
    };
  }
}
