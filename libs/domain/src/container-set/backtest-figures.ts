import type { DemandSample } from '../autoscaling/demand.js';
import { instantOf } from '../kernel/instant.js';

/** A change of the desired number. */
export interface DesiredPoint {
  /** Milliseconds. */
  readonly at: number;
  readonly desired: number;
  readonly reason: string;
  /** The autoscaler made it. */
  readonly isOwn: boolean;
}

export interface BacktestFigures {
  readonly timeline: readonly { readonly at: string; readonly desired: number; readonly reason: string }[];
  /** Changes by the autoscaler, and how often their direction turned. */
  readonly changes: number;
  readonly reversals: number;
  readonly memberHours: number;
  /** Seconds in which the demand needed more members than desired. */
  readonly unmetSeconds: number;
  /** Seconds in which members used what they may: the demand was at least that. */
  readonly saturatedSeconds: number;
}

interface Past {
  readonly from: number;
  readonly to: number;
  readonly demand: readonly DemandSample[];
  readonly needs: (sample: DemandSample, desired: number) => number | undefined;
  readonly isSaturated: (sample: DemandSample) => boolean;
}

const HOUR_MS = 3_600_000;
/** An instant of the demand shows at most so much time before it. */
const LONGEST_INSTANT_MS = 60_000;

/** Returns the figures of a course of the desired number. */
export function backtestFigures(points: readonly DesiredPoint[], past: Past): BacktestFigures {
  const { from, to } = past;
  let memberMs = 0;
  points.forEach(({ at, desired }, i) => {
    memberMs += desired * Math.max(0, (points[i + 1]?.at ?? to) - Math.max(from, at));
  });
  const own = points.flatMap(({ desired, isOwn }, i) =>
    isOwn ? [Math.sign(desired - (points[i - 1]?.desired ?? 0))] : [],
  );
  return {
    timeline: points.map(({ at, desired, reason }) => ({ at: instantOf(at), desired, reason })),
    changes: own.length,
    reversals: own.filter((sign, i) => i > 0 && sign !== own[i - 1]).length,
    memberHours: memberMs / HOUR_MS,
    ...seconds(points, past),
  };
}

function seconds(points: readonly DesiredPoint[], { from, to, demand, needs, isSaturated }: Past) {
  let [unmet, saturated, at, before] = [0, 0, 0, from];
  for (const sample of demand) {
    if (sample.at <= from || sample.at > to) continue;
    while ((points[at + 1]?.at ?? Infinity) <= sample.at) at += 1;
    const desired = points[at]?.desired ?? 0;
    const lasted = Math.min(LONGEST_INSTANT_MS, sample.at - before) / 1000;
    if ((needs(sample, desired) ?? 0) > desired) unmet += lasted;
    if (isSaturated(sample)) saturated += lasted;
    before = sample.at;
  }
  return { unmetSeconds: unmet, saturatedSeconds: saturated };
}
