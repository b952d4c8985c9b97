import { quotaDimensions, type QuotaAmounts, type QuotaDimension } from '@stave/domain';
import { gauge } from '@stave/platform';

const highestUse = gauge(
  {
    name: 'stave_quota_highest_use_ratio',
    help: 'The largest share of its limit that a project uses, rounded down to a percent; absent while no project has such a limit',
    labels: ['dimension'],
  },
  'highest',
);

const MOST_PERCENT = 100;

/** The number of projects by the percentage of one limit that they use, so that the highest is found without a walk over all projects. */
class Percentages {
  private readonly counts = new Array<number>(MOST_PERCENT + 1).fill(0);
  private readonly ofProject = new Map<string, number>();

  put(projectId: string, percent: number | undefined): void {
    const before = this.ofProject.get(projectId);
    if (before === percent) return;
    if (before !== undefined) this.add(before, -1);
    if (percent === undefined) return void this.ofProject.delete(projectId);
    this.ofProject.set(projectId, percent);
    this.add(percent, 1);
  }

  get highest(): number | undefined {
    const found = this.counts.findLastIndex(count => count > 0);
    return found < 0 ? undefined : found;
  }

  private add(percent: number, by: number): void {
    this.counts[percent] = (this.counts[percent] ?? 0) + by;
  }
}

/** Shows how close projects are to their quotas, without saying which. */
export class QuotaShares {
  private readonly of = new Map<QuotaDimension, Percentages>(quotaDimensions.map(name => [name, new Percentages()]));

  constructor() {
    for (const [dimension, percentages] of this.of)
      highestUse.from({ dimension }, percentages, ({ highest }) =>
        highest === undefined ? undefined : highest / MOST_PERCENT,
      );
  }

  put(projectId: string, limits: QuotaAmounts, used: QuotaAmounts): void {
    for (const [dimension, percentages] of this.of) {
      const limit = limits[dimension];
      percentages.put(projectId, limit === undefined ? undefined : percentOf(used[dimension] ?? 0, limit));
    }
  }
}

const percentOf = (used: number, limit: number): number =>
  used >= limit ? MOST_PERCENT : Math.floor((MOST_PERCENT * used) / limit);
