import type { NodeShare } from '../node-group/node-group-spec.js';
import { omitUndefined } from '../kernel/json.js';
import type { Problem, Refusal } from '../kernel/decider.js';

export type ScaledResource = 'cpu' | 'memory';

/** What a set follows: the use of a resource, as a share of the limit of a member. */
export interface ScalingMetric {
  readonly resource: ScaledResource;
  /** From 0.01 to 1. */
  readonly target: number;
}

export interface DirectionSettings {
  readonly stabilisationSeconds: number;
  /** Members, or a share of the desired number, rounded up. Default out: 100 %, but at least 4. */
  readonly maxStep?: NodeShare;
}

/** How a set follows its load. Times are seconds. */
export interface SetAutoscaling {
  readonly enabled: boolean;
  readonly metrics: readonly ScalingMetric[];
  readonly windowSeconds: number;
  readonly intervalSeconds: number;
  /** The share by which the use may differ from the target before anything changes. */
  readonly tolerance: number;
  readonly warmUpSeconds: number;
  readonly scaleOut: DirectionSettings;
  readonly scaleIn: DirectionSettings;
  /** How long the autoscaler waits after a user has resized the set. */
  readonly manualHoldSeconds: number;
}

export const defaultSetAutoscaling: Omit<SetAutoscaling, 'metrics'> = {
  enabled: false,
  windowSeconds: 60,
  intervalSeconds: 15,
  tolerance: 0.1,
  warmUpSeconds: 30,
  scaleOut: { stabilisationSeconds: 0 },
  scaleIn: { stabilisationSeconds: 300, maxStep: '50%' },
  manualHoldSeconds: 300,
};

/** Settings as a request gives them: what is absent has its default. */
export type GivenAutoscaling = Partial<Omit<SetAutoscaling, 'scaleOut' | 'scaleIn'>> & {
  readonly scaleOut?: Partial<DirectionSettings>;
  readonly scaleIn?: Partial<DirectionSettings>;
};

/** Returns the settings with their defaults. */
export function completeAutoscaling({ metrics = [], scaleOut, scaleIn, ...given }: GivenAutoscaling): SetAutoscaling {
  return {
    ...defaultSetAutoscaling,
    ...omitUndefined(given),
    metrics,
    scaleOut: { ...defaultSetAutoscaling.scaleOut, ...scaleOut },
    scaleIn: { ...defaultSetAutoscaling.scaleIn, ...scaleIn },
  };
}

/** The limits of one member: CPUs and megabytes; absent: unlimited. */
export interface MemberLimits {
  readonly cpus?: number | undefined;
  readonly memoryMb?: number | undefined;
}

export const limitOf = ({ cpus, memoryMb }: MemberLimits, resource: ScaledResource): number | undefined =>
  resource === 'cpu' ? cpus : memoryMb;

/**
 * Returns the refusal of settings without a metric, which are incomplete whatever else holds. A change of settings can only be checked with
 * those that it is merged with; its answer is the same as for a new set.
 */
export function incompleteAutoscaling({ metrics }: Pick<SetAutoscaling, 'metrics'>): Refusal | undefined {
  if (metrics.length > 0) return undefined;
  const pointer = '/autoscaling/metrics';
  const errors = [{ pointer, code: 'required', detail: 'is required' }];
  return { code: 'validation-failed', kind: 'invalid', detail: `${pointer} is required`, errors };
}

/** Returns why a set cannot be scaled by its load: it needs a maximum, and a limit of each resource that it follows. */
export function autoscalingProblems(
  { enabled, metrics }: Pick<SetAutoscaling, 'enabled' | 'metrics'>,
  { max, limits }: { readonly max?: number | undefined; readonly limits: MemberLimits },
): readonly Problem[] {
  if (!enabled) return [];
  const needsMax = { pointer: '/max', code: 'required', detail: 'a set that is scaled by its load needs a maximum' };
  const seen = new Set<ScaledResource>();
  return [
    ...(max === undefined ? [needsMax] : []),
    ...metrics.flatMap(({ resource }, i): Problem[] => {
      const pointer = `/autoscaling/metrics/${i}/resource`;
      if (seen.has(resource)) return [{ pointer, code: 'duplicate', detail: `${resource} is listed before` }];
      seen.add(resource);
      const detail = `the members have no limit of ${resource}, of which the target is a share`;
      return limitOf(limits, resource) === undefined ? [{ pointer, code: 'limit-required', detail }] : [];
    }),
  ];
}
