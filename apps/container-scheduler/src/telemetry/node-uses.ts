import type { UsageSamples } from '@stave/contracts';
import type { NodeState, NodeUse } from '@stave/domain';
import { SampledNode, SampledNodes, UsageSeries } from '@stave/service-kit';

/** Milliseconds after which the last sample of a node does not show its present any more. */
const STALE_MS = 60_000;

/** A node with its samples. */
export class UsedNode extends SampledNode {
  readonly series = new UsageSeries();
}

/** What nodes used in the last hour, in memory. */
export class NodeUses {
  readonly known: SampledNodes<UsedNode>;

  /** `nodes`: those that exist, also while they are deleted. */
  constructor(
    nodes: { readonly get: (id: string) => Pick<NodeState, 'declared' | 'deleted'> | undefined },
    private readonly nowMs: () => number = Date.now,
  ) {
    this.known = new SampledNodes(id => {
      const node = nodes.get(id);
      return node && !node.deleted ? new UsedNode(id, node.declared.clusterId, node.declared.nodeGroupId) : undefined;
    });
  }

  /** `of`: the nodes of the samples in their order; the samples of others are not taken. */
  add({ at, cpuCores, memoryMb }: UsageSamples, of: readonly (UsedNode | undefined)[]): void {
    const time = Date.parse(at);
    of.forEach((node, i) => node?.series.add(time, { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 }));
  }

  /** Returns the mean over the window, or the last sample where the window is shorter than the period; undefined without a recent one. */
  of(nodeId: string, windowSeconds: number): NodeUse | undefined {
    return this.known.get(nodeId)?.series.mean(1000 * windowSeconds, this.nowMs(), STALE_MS);
  }

  forget(nodeId: string): void {
    this.known.forget(nodeId);
  }
}
