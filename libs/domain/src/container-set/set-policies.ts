import type { NodeShare } from '../node-group/node-group-spec.js';
import type { Adjustment } from '../scaling/scaling-arithmetic.js';

/** Which members go first where all else is the same. */
export type DeletionCriteria = 'youngest' | 'oldest' | 'random' | 'oldestRevision';

/** The effective properties of the policies of a set, as plain values; what is absent has its default. */
export interface SetPolicies {
  readonly deletion?: {
    /** Default: youngest. */
    readonly criteria?: DeletionCriteria;
    /** Members go from the fullest zone first. Default: true. */
    readonly byZone?: boolean;
    /** The seed of `random`. */
    readonly seed?: number;
  };
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
