import { Inject, Injectable } from '@nestjs/common';
import { groupUsageSubject, type ReservedByEngine, type UsageSamples } from '@stave/contracts';
import type { NodeUsage } from '@stave/driver-sdk';
import type { Messaging } from '@stave/platform';
import { ConductorContext } from '../conductor.context.js';
import { MESSAGING } from '../conductor.tokens.js';
import type { OpenDriver } from '../drivers/open-driver.js';
import type { Session } from '../session/session.js';
import type { ExpectedUnits } from './expected-units.js';

const PER_MESSAGE = 500;
/** Samples of many nodes are sent one message after the other, so that they take a small part of the time: those of 100,000 within 10 s. */
const NODES_PER_MS = 10;
/** Longer waits would let the samples of very many nodes become too old before they are sent. */
const LONGEST_PAUSE_MS = PER_MESSAGE / NODES_PER_MS;
const LONGEST_MS = 10_000;

/** Publishes the utilisation of nodes as telemetry. */
@Injectable()
export class NodeUsageSampling {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly context: ConductorContext,
  ) {}

  /**
   * Samples the nodes of the driver after a delay of milliseconds, and publishes the samples of those that are expected. A failed sample is skipped;
   * the next check samples again.
   */
  sampleAfter(ms: number, session: Session, open: OpenDriver, own: ExpectedUnits): void {
    session.after(ms, () => {
      open.driver.monitor
        ?.usage(open.sessionContext(session, 'health'))
        .then(usage => this.publish(session, usage, own))
        .catch((error: unknown) => open.log.debug({ err: error }, 'node usage was not sampled'));
    });
  }

  private publish(session: Session, usage: readonly NodeUsage[], own: ExpectedUnits): void {
    const at = new Date().toISOString();
    const subject = groupUsageSubject(this.context.groupToken);
    const messages = Math.ceil(usage.length / PER_MESSAGE);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, LONGEST_MS / messages);
    const publishFrom = (from: number): void => {
      const samples = samplesOf(usage, from, own, at);
      if (samples.nodeIds.length > 0) this.messaging.publish(subject, samples);
      const next = from + PER_MESSAGE;
      if (next < usage.length) session.after(pauseMs, () => publishFrom(next));
    };
    publishFrom(0);
  }
}

/** Returns the samples of own nodes among the next ones after `from`. */
function samplesOf(usage: readonly NodeUsage[], from: number, own: ExpectedUnits, at: string): UsageSamples {
  const samples = { at, nodeIds: [] as string[], cpuCores: [] as number[], memoryMb: [] as number[] };
  const reserved: (ReservedByEngine | null)[] = [];
  for (const sample of usage.slice(from, from + PER_MESSAGE)) {
    if (!own.has(sample.nodeId)) continue;
    samples.nodeIds.push(sample.nodeId);
    samples.cpuCores.push(sample.cpuCores);
    samples.memoryMb.push(sample.memoryMb);
    reserved.push(sample.reserved ?? null);
  }
  return reserved.some(each => each !== null) ? { ...samples, reserved } : samples;
}
