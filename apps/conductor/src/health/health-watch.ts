import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ExpectedReply, ExpectedUnit, ObservedRequest, ServiceName } from '@stave/contracts';
import { getOrCreate } from '@stave/domain';
import type { Unit, UnitKind } from '@stave/driver-sdk';
import { ConductorContext } from '../conductor.context.js';
import { DriverPool } from '../drivers/driver-pool.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import { SlotTableClient } from '../ring/slot-table.client.js';
import { ServiceClient } from '../service-client.js';
import type { Session } from '../session/session.js';
import { jitter } from '../time/backoff.js';
import { pagesFrom, ExpectedUnits, type AskExpected, type ExpectedScope } from './expected-units.js';
import { compareContainers, compareNodes, type ObservedUnit } from './compare-units.js';
import { ListedUnits } from './listed-units.js';
import { MassLoss } from './mass-loss.js';
import { OpenComparisons } from './open-comparisons.js';
import { UnconfirmedFailures } from './unconfirmed-failures.js';
import { NodeUsageSampling } from './node-usage-sampling.js';

const PAGE = 2_000;
const REPORTED_AT_ONCE = 500;
/** Checks of many units are rarer, so that they take a small part of the time: 100,000 units are checked every 40 s. */
const UNITS_PER_MS = 2.5;
/** The least delay between two checks, so that the services have processed the reports of the first. */
const LEAST_DELAY_MS = 500;

interface Watched {
  readonly service: ServiceName;
  readonly expected: ExpectedUnits;
  readonly listed: ListedUnits;
  readonly comparisons: OpenComparisons;
  readonly compare: (expected: readonly ExpectedUnit[], listed: ListedUnits) => readonly ObservedUnit[];
  readonly failures: UnconfirmedFailures;
  readonly loss: MassLoss;
}

/** What one check has listed. */
interface List {
  readonly units: readonly Unit[];
  readonly engines: readonly string[] | undefined;
}

/**
 * Checks periodically, with one list of all units, whether the expected units in the conductor's slots exist and run, and reports
 * deviations to the services. The expected units are requested before the list: a later change of the infrastructure raises the
 * generation, which the report carries.
 */
@Injectable()
export class HealthWatch {
  private readonly watched = new Map<OpenDriver, readonly Watched[]>();
  private readonly listed = new Map<OpenDriver, number>();

  constructor(
    private readonly client: ServiceClient,
    private readonly usage: NodeUsageSampling,
    private readonly drivers: DriverPool,
    private readonly tables: SlotTableClient,
    private readonly context: ConductorContext,
  ) {}

  run(session: Session, open: OpenDriver): void {
    const { clock, times } = this.context;
    const watched = getOrCreate(this.watched, open, () => this.createWatched());
    const periodMs = jitter(Math.max(times.healthPeriodMs, (this.listed.get(open) ?? 0) / UNITS_PER_MS));
    const due = watched.flatMap(({ failures }) => failures.nextDueMs(clock.now()) ?? []);
    session.after(Math.max(Math.min(periodMs, LEAST_DELAY_MS), Math.min(periodMs, ...due)), () => {
      void this.check(session, open, watched)
        .catch((error: unknown) => open.log.warn({ err: error, session: session.id }, 'health check failed'))
        .finally(() => session.isAlive() && this.run(session, open));
    });
  }

  /** Returns the containers in the slots of the conductor, as of the last check; undefined before the first one. */
  containersOf(open: OpenDriver): ExpectedUnits | undefined {
    return this.expectedBy('container-scheduler', open);
  }

  /** Whether the unit is the one of a node that the last check expected: then it belongs to something, and nobody need be asked. */
  isExpectedNode(open: OpenDriver, { kind, resourceId, generation }: Unit): boolean {
    return kind === 'node' && this.expectedBy('nodegroup-service', open)?.get(resourceId)?.built === generation;
  }

  private expectedBy(service: ServiceName, open: OpenDriver): ExpectedUnits | undefined {
    return this.watched.get(open)?.find(one => one.service === service)?.expected;
  }

  private createWatched(): readonly Watched[] {
    const { limits, times } = this.context;
    const { lostAfterMs, silentAfterMs } = times;
    const down = { missing: lostAfterMs, stopped: lostAfterMs, failed: lostAfterMs, silent: silentAfterMs };
    const watchedOf = (service: ServiceName, kind: UnitKind, compare: Watched['compare']): Watched => {
      const failures = new UnconfirmedFailures(down);
      const [expected, listed] = [new ExpectedUnits(), new ListedUnits(kind)];
      const comparisons = new OpenComparisons(expected, listed);
      const loss = new MassLoss(listed, limits.massLoss);
      return { service, expected, listed, comparisons, compare, failures, loss };
    };
    return [
      watchedOf('nodegroup-service', 'node', compareNodes),
      watchedOf('container-scheduler', 'container', compareContainers),
    ];
  }

  private async check(session: Session, open: OpenDriver, watched: readonly Watched[]): Promise<void> {
    const asked = await Promise.all(
      watched.map(each =>
        this.refresh(session, open, each).catch((error: unknown) => {
          open.log.warn({ err: error, service: each.service, session: session.id }, 'expected units were not received');
          return false;
        }),
      ),
    );
    const known = watched.filter((_each, i) => asked[i]);
    if (known.every(({ expected }) => expected.size === 0)) return;
    await this.compareAll(session, open, known);
    const nodes = known.find(({ service }) => service === 'nodegroup-service');
    if (!nodes || nodes.expected.size === 0) return;
    // between two checks, since both take some time where there are many units
    const delayMs = (this.listed.get(open) ?? 0) / UNITS_PER_MS / 2;
    this.usage.sampleAfter(delayMs < LEAST_DELAY_MS ? 0 : delayMs, session, open, nodes.expected);
  }

  private async compareAll(session: Session, open: OpenDriver, watched: readonly Watched[]): Promise<void> {
    const ctx = open.sessionContext(session, 'health');
    const engines = await open.identify(ctx);
    const units = await open.driver.list(ctx);
    this.listed.set(open, units.length);
    await setImmediate(); // each step examines all units, and requests have their turn in between
    await Promise.all(watched.map(each => this.compare(session, open, each, { units, engines })));
  }

  private async compare(session: Session, open: OpenDriver, watched: Watched, { units, engines }: List): Promise<void> {
    const { service, expected, listed, comparisons, compare, failures, loss } = watched;
    const now = this.context.clock.now();
    if (expected.size > 0) listed.take(units);
    else listed.clear();
    await setImmediate();
    const compared = comparisons.next();
    await loss.take({ expected: compared, engines, everywhere: () => this.everywhere(session, open, service) });
    this.countLosses();
    await setImmediate();
    const differing = compare(compared, listed);
    comparisons.completed(compared, differing);
    const found = failures.confirm(differing, now).map(each => suspectedIn(loss, each));
    await this.report(session, open, service, found);
  }

  private countLosses(): void {
    const sum = (service: ServiceName): number =>
      [...this.watched.values()]
        .flat()
        .reduce((all, watched) => all + (watched.service === service ? watched.loss.size : 0), 0);
    this.context.counters.suspectedLosses = sum('nodegroup-service');
    this.context.counters.suspectedContainerLosses = sum('container-scheduler');
  }

  /** Resolves to false where the conductor has no slots of the driver. */
  private async refresh(session: Session, open: OpenDriver, { service, expected }: Watched): Promise<boolean> {
    const scope = this.scopeOf(session, open);
    if (scope.holdings.length > 0) await expected.refresh(scope, this.asking(service));
    else expected.clear();
    return scope.holdings.length > 0;
  }

  /** Requests the expected units in the slots of all conductors. */
  private async everywhere(session: Session, open: OpenDriver, service: ServiceName): Promise<readonly ExpectedUnit[]> {
    const scope = { ...this.scopeOf(session, open), everySlot: true as const };
    const ask = this.asking(service);
    return scope.holdings.length === 0 ? [] : pagesFrom(await ask(scope), scope, ask);
  }

  private asking(service: ServiceName): AskExpected {
    return request => this.client.ask<ExpectedReply>(service, ['health', 'expected'], request);
  }

  private scopeOf(session: Session, open: OpenDriver): ExpectedScope {
    const { epoch, holdings: all } = this.tables.current;
    const own = all.filter(({ driver, version }) => this.drivers.find(driver, version) === open);
    const holdings = own.map(({ key, version }) => ({ key, version }));
    return { conductor: this.context.id, session: session.id, epoch, holdings, max: PAGE };
  }

  private async report(
    session: Session,
    open: OpenDriver,
    service: ServiceName,
    found: readonly ObservedUnit[],
  ): Promise<void> {
    for (let at = 0; at < found.length && session.isAlive(); at += REPORTED_AT_ONCE) {
      const observations = found.slice(at, at + REPORTED_AT_ONCE);
      const body: ObservedRequest = { conductor: this.context.id, session: session.id, observations };
      const fields = { session: session.id, observations: observations.slice(0, 10) };
      open.log.warn(fields, 'units differ from the expected state');
      await this.client.ask<object>(service, ['health', 'observed'], body);
    }
  }
}

function suspectedIn(loss: MassLoss, observed: ObservedUnit): ObservedUnit {
  const suspected = observed.state === 'missing' ? loss.suspicionOf(observed.resourceId) : undefined;
  return suspected ? { ...observed, suspected } : observed;
}
