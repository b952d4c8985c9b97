import {
  usageSubject,
  type ExpectedReply,
  type ExpectedRequest,
  type ExpectedUnit,
  type ObservedRequest,
  type ServiceName,
  type UsageSamples,
} from '@stave/contracts';
import type { Messaging } from '@stave/platform';
import type { DriverContext, Unit } from '@stave/driver-sdk';
import type { ConductorTimes } from '../config/conductor.settings.js';
import type { DriverPool, OpenDriver } from '../drivers/driver-pool.js';
import type { SlotTable } from '../ring/slot-table.js';
import type { ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import { jitter } from '../time/backoff.js';
import type { Clock } from '../time/clock.js';
import { compareContainers, compareNodes, type SeenUnit } from './compare-units.js';
import { Suspicions } from './suspicions.js';

const PAGE = 2_000;
const REPORTED_AT_ONCE = 500;
const PERIOD_JITTER = 0.2;
/** Of very many units a look is taken more rarely, so that looking takes a small part of the time: of 100,000 every 40 s. */
const UNITS_PER_MS = 2.5;
/** What is due at once waits so long, so that the services have heard of the report before. */
const LEAST_DELAY_MS = 500;

export interface HealthWatchParts {
  readonly client: ServiceClient;
  readonly messaging: Messaging;
  readonly conductor: string;
  readonly drivers: DriverPool;
  readonly table: () => SlotTable;
  readonly clock: Clock;
  readonly times: ConductorTimes;
}

interface Watched {
  readonly service: ServiceName;
  readonly compare: (expected: readonly ExpectedUnit[], units: readonly Unit[]) => readonly SeenUnit[];
  readonly suspicions: Suspicions;
}

/**
 * Looks again and again, with one list of everything, whether what should stand in this conductor's slots does, and tells the
 * services what does not. What should stand is asked for BEFORE the list: whatever changes the infrastructure meanwhile has raised
 * the generation that comes back with the report.
 */
export class HealthWatch {
  private readonly watched = new Map<OpenDriver, readonly Watched[]>();
  /** How many units the last look of a driver's saw. */
  private readonly listed = new Map<OpenDriver, number>();

  constructor(private readonly parts: HealthWatchParts) {}

  /** Watches one driver's infrastructure until the session ends. */
  run(session: Session, open: OpenDriver): void {
    const { clock, times } = this.parts;
    const watched = this.watched.get(open) ?? this.watch();
    this.watched.set(open, watched);
    const periodMs = jitter(Math.max(times.healthPeriodMs, (this.listed.get(open) ?? 0) / UNITS_PER_MS), PERIOD_JITTER);
    const due = watched.flatMap(({ suspicions }) => suspicions.nextDueMs(clock.now()) ?? []);
    session.after(Math.max(Math.min(periodMs, LEAST_DELAY_MS), Math.min(periodMs, ...due)), () => {
      void this.look(session, open, watched)
        .catch((error: unknown) => open.log.warn({ err: error, session: session.id }, 'health was not looked at'))
        .finally(() => session.isAlive() && this.run(session, open));
    });
  }

  private watch(): readonly Watched[] {
    const { lostAfterMs, silentAfterMs } = this.parts.times;
    const down = { missing: lostAfterMs, stopped: lostAfterMs, failed: lostAfterMs, silent: silentAfterMs };
    return [
      { service: 'nodegroup-service', compare: compareNodes, suspicions: new Suspicions(down) },
      { service: 'container-scheduler', compare: compareContainers, suspicions: new Suspicions(down) },
    ];
  }

  private async look(session: Session, open: OpenDriver, watched: readonly Watched[]): Promise<void> {
    const asked = await Promise.all(watched.map(({ service }) => this.expected(session, open, service)));
    if (asked.every(units => units === undefined || units.length === 0)) return;
    const units = await open.driver.list(this.context(session, open));
    this.listed.set(open, units.length);
    const now = this.parts.clock.now();
    this.sample(session, open, new Set(asked[0]?.map(({ resourceId }) => resourceId)));
    await Promise.all(
      watched.map(async ({ service, compare, suspicions }, i) => {
        const expected = asked[i];
        if (!expected) return;
        await this.report(session, open, service, suspicions.sift(compare(expected, units), now));
      }),
    );
  }

  /** Telemetry: what fails is left out, and asked for again by the next look. */
  private sample(session: Session, open: OpenDriver, own: ReadonlySet<string>): void {
    const { monitor } = open.driver;
    if (!monitor || own.size === 0) return;
    monitor
      .usage(this.context(session, open))
      .then(usage => {
        const nodes = usage.filter(({ nodeId }) => own.has(nodeId));
        for (let at = 0; at < nodes.length; at += REPORTED_AT_ONCE) {
          const samples: UsageSamples = { at: new Date().toISOString(), nodes: nodes.slice(at, at + REPORTED_AT_ONCE) };
          this.parts.messaging.publish(usageSubject, samples);
        }
      })
      .catch((error: unknown) => open.log.debug({ err: error }, 'utilisation was not sampled'));
  }

  /** Undefined when the service does not answer: nothing is known of its resources then. */
  private async expected(
    session: Session,
    open: OpenDriver,
    service: ServiceName,
  ): Promise<readonly ExpectedUnit[] | undefined> {
    try {
      return await this.pages(session, open, service);
    } catch (error) {
      open.log.warn({ err: error, service, session: session.id }, 'not told what should stand');
      return undefined;
    }
  }

  private async pages(session: Session, open: OpenDriver, service: ServiceName): Promise<readonly ExpectedUnit[]> {
    const { client, conductor, drivers, table } = this.parts;
    const { epoch, holdings: all } = table();
    const own = all.filter(({ driver, version }) => drivers.find(driver, version) === open);
    if (own.length === 0) return [];
    const holdings = own.map(({ key, version }) => ({ key, version }));
    const request: ExpectedRequest = { conductor, session: session.id, epoch, holdings, max: PAGE };
    const units: ExpectedUnit[] = [];
    for (let after: string | undefined; ;) {
      const page = after === undefined ? request : { ...request, after };
      const reply = await client.ask<ExpectedReply>(service, ['health', 'expected'], page);
      units.push(...reply.units);
      if (reply.next === undefined) return units;
      after = reply.next;
    }
  }

  private async report(
    session: Session,
    open: OpenDriver,
    service: ServiceName,
    found: readonly SeenUnit[],
  ): Promise<void> {
    const { client, conductor } = this.parts;
    for (let at = 0; at < found.length && session.isAlive(); at += REPORTED_AT_ONCE) {
      const observations = found.slice(at, at + REPORTED_AT_ONCE);
      open.log.warn({ session: session.id, observations: observations.slice(0, 10) }, 'not as expected');
      const body: ObservedRequest = { conductor, session: session.id, observations };
      await client.ask<object>(service, ['health', 'observed'], body);
    }
  }

  private context(session: Session, open: OpenDriver): DriverContext {
    const { clock, times } = this.parts;
    return {
      signal: AbortSignal.any([session.signal, AbortSignal.timeout(times.sweepTimeoutMs)]),
      log: open.log,
      now: () => clock.now(),
      secrets: open.secrets,
      progress: () => undefined,
      task: { taskId: `health:${session.id}`, attempt: 0, generation: 0 },
      checkpoint: () => {
        session.isAlive();
        session.guard.check();
      },
    };
  }
}
