import type { ContainerUsageSamples, UsageSamples } from '@stave/contracts';
import { UsageSums, type SampledNode, type SummedUnit, type SummedWindow } from '@stave/service-kit';

/** A node is sampled with the checks of its conductor, which are rarer where there are many nodes. */
const NODES_KNOWN_MS = 120_000;
const CONTAINERS_KNOWN_MS = 30_000;

/** The utilisation of a cluster or node group: what its nodes use, and what the containers on them use. */
export interface UsageTotal {
  readonly nodes: SummedWindow;
  readonly containers: SummedWindow;
}

/** Where a node belongs. */
export type NodePlace = Pick<SampledNode, 'clusterId' | 'nodeGroupId'>;

/** A node with what it adds to the totals. */
export interface TotalledNode extends NodePlace {
  readonly id: string;
  total: SummedUnit | undefined;
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

  /** `of`: the nodes of the samples in their order; the samples of others are not taken. */
  addNodes({ at, cpuCores, memoryMb }: UsageSamples, of: readonly (TotalledNode | undefined)[]): void {
    const time = Date.parse(at);
    of.forEach((node, i) => {
      if (!node) return;
      const { id, clusterId, nodeGroupId, total } = node;
      const values = { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 };
      node.total = this.nodes.add(id, time, values, [clusterId, nodeGroupId], total);
    });
  }

  addContainers({ at, containerIds, nodeIds, cpuCores, memoryMb }: ContainerUsageSamples): void {
    const time = Date.parse(at);
    containerIds.forEach((id, i) => {
      const place = this.placeOf(nodeIds[i] ?? '');
      if (!place) return;
      const values = { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 };
      this.containers.add(id, time, values, [place.clusterId, place.nodeGroupId]);
    });
  }

  /** `owner`: the id of a cluster or node group. */
  over(owner: string, windowMs: number): UsageTotal {
    return { nodes: this.nodes.over(owner, windowMs), containers: this.containers.over(owner, windowMs) };
  }
}
