import type { UsageSamples } from '@stave/contracts';
import type { NodeUse } from '@stave/domain';
import { UsageSeries } from '@stave/service-kit';

/** Milliseconds after which the last sample of a node does not show its present any more. */
const STALE_MS = 60_000;

/** What nodes used in the last hour, in memory. */
export class NodeUses {
  private readonly series = new Map<string, UsageSeries>();

  constructor(
    private readonly exists: (nodeId: string) => boolean,
    private readonly nowMs: () => number = Date.now,
  ) {}

  add({ at, nodeIds, cpuCores, memoryMb }: UsageSamples): void {
    const time = Date.parse(at);
    nodeIds.forEach((id, i) => {
      const series = this.series.get(id) ?? (this.exists(id) ? this.begin(id) : undefined);
      series?.add(time, { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 });
    });
  }

  /** Returns the mean over the window, or the last sample where the window is shorter than the period; undefined without a recent one. */
  of(nodeId: string, windowSeconds: number): NodeUse | undefined {
    return this.series.get(nodeId)?.mean(1000 * windowSeconds, this.nowMs(), STALE_MS);
  }

  forget(nodeId: string): void {
    this.series.delete(nodeId);
  }

  private begin(id: string): UsageSeries {
    const series = new UsageSeries();
    this.series.set(id, series);
    return series;
  }
}
