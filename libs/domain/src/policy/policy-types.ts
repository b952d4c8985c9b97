/** What a policy is about. */
export const policyTypes = ['placement', 'affinity', 'scaling', 'deletion', 'health', 'batch'] as const;
export type PolicyType = (typeof policyTypes)[number];

/** What a policy can be attached to, by the category of its stream. */
export type PolicyTargetType = 'containerSet' | 'nodeGroup' | 'cluster';

export interface PolicyTarget {
  readonly type: PolicyTargetType;
  readonly id: string;
}

/** The targets of each type of policy. */
export const policyTargets: Readonly<Record<PolicyType, readonly PolicyTargetType[]>> = {
  placement: ['containerSet', 'cluster'],
  affinity: ['containerSet', 'cluster'],
  scaling: ['containerSet', 'nodeGroup'],
  deletion: ['containerSet', 'nodeGroup'],
  health: ['containerSet', 'cluster', 'nodeGroup'],
  batch: ['containerSet', 'nodeGroup'],
};

/** The only version of the properties so far. */
export const POLICY_VERSION = '1.0';

export const scorerNames = [
  'leastCpu',
  'leastMemory',
  'leastCpuUse',
  'leastMemoryUse',
  'spread',
  'pack',
  'random',
  'affinity',
  'untainted',
] as const;

interface Weighted {
  /** 0 excludes; default 100. */
  readonly weight?: number;
}

type RuleMode = 'hard' | 'soft';

export interface SpreadRule {
  /** The unit: `node`, `zone`, `region`, or `label:<key>` for nodes with the same value of a label. */
  readonly by: string;
  readonly mode: RuleMode;
  /** Default 1. */
  readonly maxSkew?: number;
}

export interface PlacementProperties {
  /** Nodes by id or name. */
  readonly nodes?: readonly (Weighted & { readonly node: string })[];
  readonly zones?: readonly (Weighted & { readonly name: string; readonly region?: string })[];
  readonly regions?: readonly (Weighted & { readonly name: string })[];
  readonly strict?: boolean;
  readonly scorers?: { readonly [scorer in (typeof scorerNames)[number]]?: number };
  readonly maxCpuUse?: number;
  readonly maxMemoryUse?: number;
  readonly windowSeconds?: number;
  readonly whenUnknown?: 'allow' | 'refuse';
  readonly spread?: readonly SpreadRule[];
}

export interface AffinityRule {
  readonly kind: 'together' | 'apart';
  /** The unit, as in {@link SpreadRule}. */
  readonly by: string;
  /** Containers of a set, or containers with these labels; default: the own set. */
  readonly with?: { readonly set: string } | { readonly labels: Readonly<Record<string, string>> };
  readonly mode?: RuleMode;
  readonly weight?: number;
  readonly maxPer?: number;
}

export interface AffinityProperties {
  readonly rules?: readonly AffinityRule[];
}

export interface ScalingProperties {
  readonly direction?: 'out' | 'in';
  readonly adjustment?: {
    readonly type: 'change' | 'exact' | 'percentage';
    readonly number: number;
    readonly minStep?: number;
    readonly bestEffort?: boolean;
  };
  readonly cooldownSeconds?: number;
}

export interface DeletionProperties {
  readonly criteria?: 'youngest' | 'oldest' | 'random' | 'oldestRevision';
  readonly byZone?: boolean;
  readonly graceSeconds?: number;
  readonly hook?: { readonly timeoutSeconds: number; readonly onTimeout?: 'proceed' | 'abort'; readonly url?: string };
}

export interface HealthProperties {
  readonly detect?: readonly ('status' | 'healthCheck' | 'node')[];
  readonly unhealthyAfterSeconds?: number;
  readonly actions?: readonly {
    readonly do: 'restart' | 'recreate' | 'replace' | 'reboot' | 'rebuild';
    readonly attempts?: number;
  }[];
  readonly maxUnhealthy?: number | string;
}

export interface BatchProperties {
  /** A number of members, or a share such as "25%". */
  readonly maxBatch?: number | string;
  readonly pauseSeconds?: number;
  readonly stopOnFailure?: boolean;
}

interface PropertiesByType {
  readonly placement: PlacementProperties;
  readonly affinity: AffinityProperties;
  readonly scaling: ScalingProperties;
  readonly deletion: DeletionProperties;
  readonly health: HealthProperties;
  readonly batch: BatchProperties;
}

/** The properties of a policy as they were given: those that are absent leave the choice to other policies, or to the default. */
export type PolicyProperties<T extends PolicyType = PolicyType> = PropertiesByType[T];

/** What holds where no policy says anything. A property without a default has no effect then. */
export const policyDefaults: { readonly [T in PolicyType]: PropertiesByType[T] } = {
  placement: { strict: true, windowSeconds: 60, whenUnknown: 'allow' },
  affinity: {},
  scaling: { cooldownSeconds: 0 },
  deletion: { criteria: 'youngest', byZone: true },
  health: {
    detect: ['status', 'healthCheck', 'node'],
    unhealthyAfterSeconds: 0,
    actions: [{ do: 'replace' }],
    maxUnhealthy: '50%',
  },
  batch: { pauseSeconds: 0, stopOnFailure: true },
};
