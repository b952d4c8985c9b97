import { Inject, Injectable } from '@nestjs/common';
import { groupContainerUsageSubject, type ContainerUsageSamples } from '@stave/contracts';
import type { ContainerUsage } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import type { Session } from '../session/session.js';
import type { ExpectedUnits } from './expected-units.js';
import { HealthWatch } from './health-watch.js';

const PUBLISHED_AT_ONCE = 500;

/** Samples the utilisation of the containers in the conductor's slots. Without such containers nothing is requested. */
@Injectable()
export class UsageWatch {
  constructor(
    private readonly health: HealthWatch,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {}

  run(session: Session, open: OpenDriver): void {
    if (!open.driver.containerUsage) return;
    const periodMs = this.periodOf(open);
    session.after(periodMs, () => {
      void this.sample(session, open, periodMs)
        .catch((error: unknown) => open.log.debug({ err: error }, 'the usage of containers was not sampled'))
        .finally(() => session.isAlive() && this.run(session, open));
    });
  }

  /** The services may want more samples than usual. */
  private periodOf(open: OpenDriver): number {
    const { usagePeriodMs } = this.context.times;
    return Math.min(usagePeriodMs, this.health.containersOf(open)?.samplingMs ?? usagePeriodMs);
  }

  private async sample(session: Session, open: OpenDriver, periodMs: number): Promise<void> {
    const own = this.health.containersOf(open);
    if (!own || own.size === 0) return;
    const usage = (await open.driver.containerUsage?.(open.sessionContext(session, 'health'))) ?? [];
    const at = new Date().toISOString();
    const subject = groupContainerUsageSubject(this.context.groupToken);
    for (let from = 0; from < usage.length; from += PUBLISHED_AT_ONCE) {
      const samples = samplesOf(usage.slice(from, from + PUBLISHED_AT_ONCE), own);
      if (samples.containerIds.length > 0) this.messaging.publish(subject, { at, periodMs, ...samples });
    }
  }
}

/** Returns the samples of own containers as columns. */
function samplesOf(
  usage: readonly ContainerUsage[],
  own: ExpectedUnits,
): Omit<ContainerUsageSamples, 'at' | 'periodMs'> {
  const mine = usage.filter(({ containerId }) => own.has(containerId));
  return {
    containerIds: mine.map(({ containerId }) => containerId),
    nodeIds: mine.map(({ nodeId }) => nodeId),
    cpuCores: mine.map(({ cpuCores }) => cpuCores),
    memoryMb: mine.map(({ memoryMb }) => memoryMb),
  };
}
