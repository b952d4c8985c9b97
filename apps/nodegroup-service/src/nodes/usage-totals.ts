import type { ContainerUsageSamples, UsageSamples } from '@stave/contracts';
import { UsageSums, type SummedWindow } from '@stave/service-kit';

/** A node is sampled with the checks of its conductor, which are rarer where there are many nodes. */
const NODES_KNOWN_MS = 120_000;
const CONTAINERS_KNOWN_MS = 30_000;

/** The utilisation of a cluster or node group: what its nodes use, and what the containers on them use. */
export interface UsageTotal {
  readonly nodes: SummedWindow;
  readonly containers: SummedWindow;
}

/** Where a node belongs. */
export interface NodePlace {
  readonly clusterId: string;
  readonly nodeGroupId: string;
}

/** The utilisation of clusters and node groups in the last hour, in memory. */
export class UsageTotals {
  private readonly nodes: UsageSums;
  private readonly containers: UsageSums;

  /** `placeOf`: undefined for nodes that do not exist. */
  constructor(
    private readonly placeOf: (nodeId: string) => NodePlace | undefined,
    nowMs: () => number = Date.now,
  ) {
    this.nodes = new UsageSums(NODES_KNOWN_MS, nowMs);
    this.containers = new UsageSums(CONTAINERS_KNOWN_MS, nowMs);
  }

  addNodes(samples: UsageSamples): void {
    this.add(this.nodes, samples.nodeIds, samples);
  }

  addContainers(samples: ContainerUsageSamples): void {
    this.add(this.containers, samples.containerIds, samples);
  }

  /** `owner`: the id of a cluster or node group. */
  over(owner: string, windowMs: number): UsageTotal {
    return { nodes: this.nodes.over(owner, windowMs), containers: this.containers.over(owner, windowMs) };
  }

  private add(sums: UsageSums, ids: readonly string[], { at, nodeIds, cpuCores, memoryMb }: UsageSamples): void {
    const time = Date.parse(at);
    ids.forEach((id, i) => {
      const place = this.placeOf(nodeIds[i] ?? '');
      if (!place) return;
      const values = { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 };
      sums.add(id, time, values, [place.clusterId, place.nodeGroupId]);
    });
  }
}
