import type { NodeShare } from '../node-group/node-group-spec.js';
import type { HealthDetector, MemberRemedy } from './container-set-events.js';
import type { Adjustment } from '../scaling/scaling-arithmetic.js';

/** Which members go first where all else is the same. */
export type DeletionCriteria = 'youngest' | 'oldest' | 'random' | 'oldestRevision';

/** Available members that have to go wait for their release. */
export interface DeletionHook {
  readonly timeoutSeconds: number;
  /** What happens without an answer. Default: proceed. */
  readonly onTimeout?: 'proceed' | 'abort';
  readonly url?: string;
  readonly policyId?: string;
  readonly policyRevision?: number;
}

/** When members count as unhealthy, and what is done about them. */
export interface SetHealthPolicy {
  readonly detect: readonly HealthDetector[];
  readonly unhealthyAfterSeconds: number;
  /** In turn, each as often as `attempts` says; the last one repeats. */
  readonly actions: readonly { readonly do: MemberRemedy; readonly attempts?: number }[];
  /** Of more unhealthy members at once none is touched: a number or a share of the desired number, rounded up, at least 1. */
  readonly maxUnhealthy: NodeShare;
  readonly policyId?: string;
  readonly policyRevision?: number;
}

/** The effective properties of the policies of a set, as plain values; what is absent has its default. */
export interface SetPolicies {
  readonly deletion?: {
    /** Default: youngest. */
    readonly criteria?: DeletionCriteria;
    /** Members go from the fullest zone first. Default: true. */
    readonly byZone?: boolean;
    /** The seed of `random`. */
    readonly seed?: number;
    /** Seconds that containers which are removed have to stop; default: their own. */
    readonly graceSeconds?: number;
    readonly hook?: DeletionHook;
  };
  readonly health?: SetHealthPolicy;
  readonly batch?: {
    /** The most members that one batch replaces: a number or a share of the desired number; at least 1. */
    readonly maxBatch: NodeShare;
    readonly pauseSeconds?: number;
    /** Default: true. */
    readonly stopOnFailure?: boolean;
  };
}

/** The effective scaling policy of a direction. */
export interface ScalingPolicy {
  readonly adjustment: Adjustment;
  readonly cooldownSeconds: number;
  readonly policyId?: string;
  readonly policyRevision?: number;
}
