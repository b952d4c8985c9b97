import { demandOf, isSaturated, type DemandSample } from '../autoscaling/demand.js';
import {
  limitOf,
  type MemberLimits,
  type ScaledResource,
  type SetAutoscaling,
} from '../autoscaling/set-autoscaling.js';
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

/** What a set followed from a time on. */
export interface SettingsPoint {
  /** Milliseconds. */
  readonly at: number;
  /** Undefined: it had no target. */
  readonly settings: SetAutoscaling | undefined;
  readonly limits: MemberLimits;
}

/** The desired number of a set in the course of a time, and what it followed; each begins with the beginning. */
export interface Course {
  readonly points: DesiredPoint[];
  readonly settings: SettingsPoint[];
}

export interface BacktestFigures {
  readonly timeline: readonly { readonly at: string; readonly desired: number; readonly reason: string }[];
  /** Changes by the autoscaler, and how often their direction turned. */
  readonly changes: number;
  readonly reversals: number;
  readonly memberHours: number;
  /** Seconds in which the demand needed more members than desired, by the target of that time; null: there never was one. */
  readonly unmetSeconds: number | null;
  /** Seconds in which members used what they may: the demand was at least that. */
  readonly saturatedSeconds: number;
}

interface Past {
  readonly from: number;
  readonly to: number;
  readonly demand: readonly DemandSample[];
}

const HOUR_MS = 3_600_000;
/** An instant shows at most so much time before it, where its own span is not stored. */
const LONGEST_INSTANT_MS = 60_000;
const allResources: readonly ScaledResource[] = ['cpu', 'memory'];

/** Returns the figures of a course of the desired number. */
export function backtestFigures({ points, settings }: Course, past: Past): BacktestFigures {
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
    ...seconds({ points, settings }, past),
  };
}

/** Calls `visit` with each instant of the time, and the milliseconds of which it is the demand. */
function forEachInstant({ from, to, demand }: Past, visit: (sample: DemandSample, lastedMs: number) => void): void {
  let before = from;
  for (const sample of demand) {
    const { at, spanMs = LONGEST_INSTANT_MS } = sample;
    if (at <= from || at > to) continue;
    visit(sample, Math.min(spanMs, at - before));
    before = at;
  }
}

/** Returns the share of the time of which the demand is known. */
export function coverageOf(past: Past): number {
  let knownMs = 0;
  forEachInstant(past, (_, lastedMs) => (knownMs += lastedMs));
  return past.to > past.from ? knownMs / (past.to - past.from) : 0;
}

function seconds({ points, settings }: Course, past: Past) {
  let [unmetMs, saturatedMs, point, setting] = [0, 0, 0, 0];
  forEachInstant(past, (sample, lastedMs) => {
    while ((points[point + 1]?.at ?? Infinity) <= sample.at) point += 1;
    while ((settings[setting + 1]?.at ?? Infinity) <= sample.at) setting += 1;
    const { desired = 0 } = points[point] ?? {};
    const followed = settings[setting];
    if (!followed) return;
    if (needs(sample, desired, followed) > desired) unmetMs += lastedMs;
    if (usesAll(sample, followed)) saturatedMs += lastedMs;
  });
  const hadTarget = settings.some(each => each.settings !== undefined);
  return { unmetSeconds: hadTarget ? unmetMs / 1000 : null, saturatedSeconds: saturatedMs / 1000 };
}

const needs = (sample: DemandSample, desired: number, { settings, limits }: SettingsPoint): number =>
  (settings && demandOf([sample], settings, { desired, limits }).recommended) ?? 0;

/** Whether the known members use what they may of what the set follows, or of anything where it follows nothing. */
const usesAll = ({ known, use }: DemandSample, { settings, limits }: SettingsPoint): boolean =>
  (settings?.metrics.map(({ resource }) => resource) ?? allResources).some(resource =>
    isSaturated(use[resource] ?? 0, known, limitOf(limits, resource)),
  );
