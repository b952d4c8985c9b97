import type { ContainerUsageSamples } from '@stave/contracts';
import { UsageSeries, type UsageWindow } from '@stave/service-kit';

/** Samples after which a container is unknown when none follows. */
const PERIODS_KNOWN = 3;

interface Sampled {
  readonly series: UsageSeries;
  periodMs: number;
}

/** The utilisation of containers in the last hour, in memory. */
export class ContainerUsages {
  private readonly sampled = new Map<string, Sampled>();

  constructor(
    private readonly exists: (containerId: string) => boolean,
    private readonly nowMs: () => number = Date.now,
  ) {}

  add({ at, periodMs, containerIds, cpuCores, memoryMb }: ContainerUsageSamples): void {
    const time = Date.parse(at);
    containerIds.forEach((id, i) => {
      const sampled = this.sampled.get(id) ?? (this.exists(id) ? this.begin(id) : undefined);
      if (!sampled) return;
      sampled.periodMs = periodMs;
      sampled.series.add(time, { cpuCores: cpuCores[i] ?? 0, memoryMb: memoryMb[i] ?? 0 });
    });
  }

  /** Returns what the last samples of a container show. A container without recent samples is not known: that is neither zero nor idle. */
  over(containerId: string, windowMs: number): UsageWindow {
    const { series, periodMs } = this.sampled.get(containerId) ?? { series: new UsageSeries(), periodMs: 0 };
    return series.over(windowMs, this.nowMs(), PERIODS_KNOWN * periodMs);
  }

  forget(containerId: string): void {
    this.sampled.delete(containerId);
  }

  private begin(id: string): Sampled {
    const sampled = { series: new UsageSeries(), periodMs: 0 };
    this.sampled.set(id, sampled);
    return sampled;
  }
}
