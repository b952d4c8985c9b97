import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { UsageSamples } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import { followSamples, GroupProof, MESSAGING } from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { conductorGroupOf } from './node.tasks.js';
import { UsageTotals } from './usage-totals.js';

/** Samples per node in the history. */
const HISTORY_LENGTH = 30;
/** Numbers per sample: time in milliseconds, cores, megabytes. A flat list of numbers needs a tenth of the memory of objects. */
const SAMPLE_WIDTH = 3;
/** Milliseconds after which the last sample of a node is not shown any more. */
const STALE_MS = 60_000;

interface Sample {
  readonly at: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** The utilisation of a node in lists: the last sample; `unknown` without a recent one. */
export type Utilisation = 'unknown' | Sample;
/** The utilisation of a single node: the last sample and a short history, oldest first. */
export type UtilisationHistory = 'unknown' | (Sample & { readonly history: readonly Sample[] });

/** Keeps recent samples of the utilisation of nodes in memory. */
export class NodeUsages {
  private readonly samples = new Map<string, number[]>();
  private prunedAt = 0;

  constructor(
    private readonly exists: (nodeId: string) => boolean,
    private readonly nowMs: () => number = Date.now,
  ) {}

  add({ at, nodeIds, cpuCores, memoryMb }: UsageSamples): void {
    const time = Date.parse(at);
    nodeIds.forEach((nodeId, i) => this.samplesOf(nodeId)?.push(time, cpuCores[i] ?? 0, memoryMb[i] ?? 0));
    this.prune(time);
  }

  /** Returns the time of the last sample in milliseconds; undefined when it is older than a minute or the node does not exist. */
  lastTime(nodeId: string): number | undefined {
    const time = this.samples.get(nodeId)?.at(-SAMPLE_WIDTH);
    if (time === undefined || !this.exists(nodeId) || this.nowMs() - time > STALE_MS) return undefined;
    return time;
  }

  now(nodeId: string): Utilisation {
    if (this.lastTime(nodeId) === undefined) return 'unknown';
    return samplesIn((this.samples.get(nodeId) ?? []).slice(-SAMPLE_WIDTH))[0] ?? 'unknown';
  }

  of(nodeId: string): UtilisationHistory {
    const now = this.now(nodeId);
    return now === 'unknown' ? now : { ...now, history: samplesIn(this.samples.get(nodeId) ?? []) };
  }

  /** Returns the samples of a node, with room for another one; undefined when the node does not exist. */
  private samplesOf(nodeId: string): number[] | undefined {
    const kept = this.samples.get(nodeId);
    if (kept && kept.length >= HISTORY_LENGTH * SAMPLE_WIDTH) {
      kept.copyWithin(0, SAMPLE_WIDTH);
      kept.length -= SAMPLE_WIDTH;
    }
    if (kept || !this.exists(nodeId)) return kept;
    const first: number[] = [];
    this.samples.set(nodeId, first);
    return first;
  }

  /** Removes nodes that do not exist any more, at most once a minute: samples arrive in many messages. */
  private prune(time: number): void {
    if (time - this.prunedAt < STALE_MS) return;
    this.prunedAt = time;
    for (const nodeId of this.samples.keys()) if (!this.exists(nodeId)) this.samples.delete(nodeId);
  }
}

function samplesIn(kept: readonly number[]): readonly Sample[] {
  return Array.from({ length: kept.length / SAMPLE_WIDTH }, (_, i) => {
    const [time = 0, cpuCores = 0, memoryMb = 0] = kept.slice(i * SAMPLE_WIDTH, (i + 1) * SAMPLE_WIDTH);
    return { at: new Date(time).toISOString(), cpuCores, memoryMb };
  });
}

/** Receives the samples that conductors publish. Every replica receives all of them. */
@Injectable()
export class NodeUsageListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private subscriptions: readonly MessageSubscription[] = [];

  constructor(
    private readonly usages: NodeUsages,
    private readonly totals: UsageTotals,
    private readonly projection: FleetProjection,
    private readonly proof: GroupProof,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    const { projection } = this;
    const groupOfNode = (nodeId: string): string | undefined => {
      const node = projection.nodes.get(nodeId);
      return node && conductorGroupOf(projection, node);
    };
    this.subscriptions = followSamples(this.messaging, this.proof, {
      nodes: samples => {
        this.usages.add(samples);
        this.totals.addNodes(samples);
      },
      containers: samples => this.totals.addContainers(samples),
      groupOfNode,
      groupOfContainer: (_, nodeId) => groupOfNode(nodeId),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map(subscription => subscription.close()));
  }
}
