import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { UsageSamples } from '@stave/contracts';
import type { Messaging, MessageSubscription } from '@stave/platform';
import {
  conductorGroupOf,
  followSamples,
  GroupProof,
  MESSAGING,
  SampledNode,
  SampledNodes,
  type SummedUnit,
} from '@stave/service-kit';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { UsageTotals, type NodePlace } from './usage-totals.js';

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

/** A node with its recent samples, and what it adds to the totals of its cluster and node group. */
export class UsedNode extends SampledNode {
  readonly samples: number[] = [];
  total: SummedUnit | undefined = undefined;
}

/** Keeps recent samples of the utilisation of nodes in memory. */
export class NodeUsages {
  readonly known: SampledNodes<UsedNode>;

  /** `placeOf`: undefined for nodes that do not exist. */
  constructor(
    private readonly placeOf: (nodeId: string) => NodePlace | undefined,
    private readonly nowMs: () => number = Date.now,
  ) {
    this.known = new SampledNodes(id => {
      const place = placeOf(id);
      return place && new UsedNode(id, place.clusterId, place.nodeGroupId);
    });
  }

  /** `of`: the nodes of the samples in their order; the samples of others are not taken. */
  add({ at, cpuCores, memoryMb }: UsageSamples, of: readonly (UsedNode | undefined)[]): void {
    const time = Date.parse(at);
    of.forEach((node, i) => node && roomIn(node.samples).push(time, cpuCores[i] ?? 0, memoryMb[i] ?? 0));
  }

  /** To be called when the node is deleted. */
  forget(nodeId: string): void {
    this.known.forget(nodeId);
  }

  /** Returns the time of the last sample in milliseconds; undefined when it is older than a minute or the node does not exist. */
  lastTime(nodeId: string): number | undefined {
    const time = this.known.get(nodeId)?.samples.at(-SAMPLE_WIDTH);
    if (time === undefined || !this.placeOf(nodeId) || this.nowMs() - time > STALE_MS) return undefined;
    return time;
  }

  now(nodeId: string): Utilisation {
    if (this.lastTime(nodeId) === undefined) return 'unknown';
    return samplesIn((this.known.get(nodeId)?.samples ?? []).slice(-SAMPLE_WIDTH))[0] ?? 'unknown';
  }

  of(nodeId: string): UtilisationHistory {
    const now = this.now(nodeId);
    return now === 'unknown' ? now : { ...now, history: samplesIn(this.known.get(nodeId)?.samples ?? []) };
  }
}

/** Returns the samples with room for another one. */
function roomIn(samples: number[]): number[] {
  if (samples.length >= HISTORY_LENGTH * SAMPLE_WIDTH) {
    samples.copyWithin(0, SAMPLE_WIDTH);
    samples.length -= SAMPLE_WIDTH;
  }
  return samples;
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
    const { projection, usages, totals } = this;
    this.subscriptions = followSamples(this.messaging, this.proof, {
      known: usages.known,
      nodes: (samples, of) => {
        usages.add(samples, of);
        totals.addNodes(samples, of);
      },
      containers: samples => totals.addContainers(samples),
      groupOfNode: place => conductorGroupOf(projection, place),
      groupOfContainer: (_, nodeId) => {
        const node = projection.nodes.get(nodeId);
        return node && conductorGroupOf(projection, node.declared);
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map(subscription => subscription.close()));
  }
}
