import { limitOf, type MemberLimits, type ScaledResource, type SetAutoscaling } from './set-autoscaling.js';

/** What was sampled of the members of a set at one instant. */
export interface DemandSample {
  /** Milliseconds. */
  readonly at: number;
  /** Milliseconds before it of which it is the demand: of one sampling period, or of all instants that it is the mean of. */
  readonly spanMs?: number;
  /** Members past their warm-up that were sampled. */
  readonly known: number;
  /** Other members that run: they warm up, or no sample of them arrived. */
  readonly others: number;
  /** The sum over the known members: CPUs in use, and megabytes; absent where that was not sampled. */
  readonly use: { readonly [resource in ScaledResource]?: number };
}

/** The recommendation that follows from one metric. */
export interface MetricDemand {
  readonly resource: ScaledResource;
  readonly target: number;
  /** The mean use of the window; undefined where nothing is known. */
  readonly use: number | undefined;
  /** Use by the desired number of members, as a share of the target; 1: as wanted. */
  readonly ratio: number | undefined;
  /** Known and other running members in the mean of the window. */
  readonly known: number;
  readonly unknown: number;
  /** The known members use what they may: they need at least that. */
  readonly saturated: boolean;
  /** Undefined where no member was sampled in the window. */
  readonly recommended: number | undefined;
}

/** From this share of its limit on a member may need more than it gets. */
const SATURATED = 0.98;

/** Returns whether so many members together use what they may of a resource. */
export const isSaturated = (use: number, members: number, limit: number | undefined): boolean =>
  limit !== undefined && members > 0 && use >= SATURATED * members * limit;

const SLACK = 1e-9;

/** Rounds up, with a slack for what sums of fractions are off by. */
const roundedUp = (exact: number): number => Math.ceil(exact - SLACK);

const mean = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);

/**
 * Returns how many members the demand of the window needs. What is known is the least demand; each member of which nothing is known counts
 * with the full target where members could be taken away, and with nothing where some could be added. Means of sums: members that come and
 * go, and load that moves between them, change nothing.
 */
export function metricDemand(
  sampled: readonly DemandSample[],
  { resource, target }: SetAutoscaling['metrics'][number],
  {
    desired,
    limits,
    tolerance,
  }: { readonly desired: number; readonly limits: MemberLimits; readonly tolerance: number },
): MetricDemand {
  const samples = sampled.filter(({ use }) => use[resource] !== undefined);
  const limit = limitOf(limits, resource);
  const perMember = target * (limit ?? Infinity);
  const known = mean(
    samples.reduce((sum, sample) => sum + sample.known, 0),
    samples.length,
  );
  const unknown = mean(
    samples.reduce((sum, sample) => sum + sample.others, 0),
    samples.length,
  );
  const about = { resource, target, known, unknown };
  if (known === 0) return { ...about, use: undefined, ratio: undefined, saturated: false, recommended: undefined };
  const least = mean(
    samples.reduce((sum, { use }) => sum + (use[resource] ?? 0), 0),
    samples.length,
  );
  const most = least + unknown * perMember;
  const wanted = desired * perMember;
  const recommended =
    least > wanted * (1 + tolerance) * (1 + SLACK)
      ? roundedUp(least / perMember)
      : most < wanted * (1 - tolerance) * (1 - SLACK)
        ? roundedUp(most / perMember)
        : desired;
  const ratio = wanted === 0 ? undefined : least / wanted;
  return { ...about, use: least, ratio, saturated: isSaturated(least, known, limit), recommended };
}

export interface Demand {
  readonly metrics: readonly MetricDemand[];
  /** The largest number that a metric needs; never less than desired while one is unknown; undefined where all are. */
  readonly recommended: number | undefined;
}

/** Returns what all metrics of a set need together. A set without members stays so. */
export function demandOf(
  samples: readonly DemandSample[],
  { metrics, tolerance }: Pick<SetAutoscaling, 'metrics' | 'tolerance'>,
  { desired, limits }: { readonly desired: number; readonly limits: MemberLimits },
): Demand {
  const each = metrics.map(metric => metricDemand(samples, metric, { desired, limits, tolerance }));
  const known = each.flatMap(({ recommended }) => recommended ?? []);
  if (desired === 0 || known.length === 0) return { metrics: each, recommended: desired === 0 ? 0 : undefined };
  const largest = Math.max(...known);
  return { metrics: each, recommended: known.length < each.length ? Math.max(desired, largest) : largest };
}
