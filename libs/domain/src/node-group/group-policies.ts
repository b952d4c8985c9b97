import type { HealthDetector } from '../container-set/container-set-events.js';
import type { SetPolicies } from '../container-set/set-policies.js';
import type { NodeRemedy } from './node-group-events.js';
import type { NodeShare } from './node-group-spec.js';

/** A policy and its revision that shaped a decision. */
export interface AppliedPolicy {
  readonly policyId?: string;
  readonly policyRevision?: number;
}

/** The effective properties of the policies of a node group, as plain values; what is absent has its default. */
export interface GroupPolicies {
  readonly deletion?: NonNullable<SetPolicies['deletion']> & AppliedPolicy;
  readonly batch?: NonNullable<SetPolicies['batch']> & AppliedPolicy;
  readonly health?: GroupHealthPolicy;
}

/** When nodes count as unhealthy, and what is done about them. */
export interface GroupHealthPolicy extends AppliedPolicy {
  readonly detect: readonly HealthDetector[];
  readonly unhealthyAfterSeconds: number;
  /** In turn, each as often as `attempts` says; the last one repeats. */
  readonly actions: readonly { readonly do: NodeRemedy; readonly attempts?: number }[];
  /** Of more unhealthy nodes at once none is touched: a number or a share of the count, rounded up, at least 1. */
  readonly maxUnhealthy: NodeShare;
}

/** Returns the members of an event that name the policy. */
export const appliedPolicy = ({ policyId, policyRevision }: AppliedPolicy = {}): AppliedPolicy =>
  policyId === undefined || policyRevision === undefined ? {} : { policyId, policyRevision };
