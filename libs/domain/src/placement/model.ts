import type { Taint } from '@stave/driver-sdk';

export type Labels = { readonly [name: string]: string };

/** A taint that excludes containers that do not tolerate it. */
export interface HardTaint extends Taint {
  readonly effect: 'NoSchedule' | 'NoExecute';
}

/** Tolerates taints of this key: of any value without `value`, and of both effects without `effect`. */
export interface Toleration {
  readonly key: string;
  readonly value?: string;
  readonly effect?: HardTaint['effect'];
}

/** CPUs (to the thousandth) and memory in megabytes. */
export interface Resources {
  readonly cpus: number;
  readonly memoryMb: number;
}

export interface NodeView {
  readonly id: string;
  readonly name: string;
  readonly nodeGroupId: string;
  readonly zone?: string;
  readonly region?: string;
  readonly ready: boolean;
  /** False while the node is cordoned or draining. */
  readonly schedulable: boolean;
  readonly role: string;
  readonly labels: Labels;
  readonly taints: readonly HardTaint[];
  readonly capacity: Resources;
  readonly allocated: Resources;
  readonly containers: number;
}

export interface PlacementRequest extends Resources {
  readonly id: string;
  readonly nodeSelector?: Labels;
  readonly zone?: string;
  readonly region?: string;
  /** The id or name of the only node allowed. */
  readonly hostNode?: string;
  readonly tolerations?: readonly Toleration[];
  /** The ids of nodes that recently rejected it for lack of resources. */
  readonly avoid?: readonly string[];
}

export type FilterCode =
  | 'NODE_NOT_READY'
  | 'NODE_NOT_SCHEDULABLE'
  | 'NOT_HOST_NODE'
  | 'REGION_MISMATCH'
  | 'ZONE_MISMATCH'
  | 'LABELS_MISMATCH'
  | 'TAINT_NOT_TOLERATED'
  | 'NO_ROOM_FOUND'
  | 'INSUFFICIENT_ROOM';

type ScorerName = 'leastCpu' | 'leastMemory' | 'spread';

export interface PlacementPolicy {
  readonly name: string;
  readonly filters: readonly FilterCode[];
  /** At least 0 each. A scorer with weight 0 has no effect. */
  readonly weights: { readonly [scorer in ScorerName]: number };
}

/** The number of nodes that a filter refused. Each node counts at the first filter that refuses it. */
export interface FilterRefusal {
  readonly code: FilterCode;
  readonly count: number;
  readonly sentence: string;
}

export interface NodeScore {
  readonly nodeId: string;
  /** The weighted mean of the parts. */
  readonly total: number;
  /** From 0 (worst) to 1. */
  readonly parts: { readonly [scorer in ScorerName]: number };
}

/** The smallest change that would make the request fit. */
export interface Remedy {
  /** The node to change; absent when a node must be added. */
  readonly nodeId?: string;
  readonly codes: readonly FilterCode[];
  readonly sentence: string;
}

interface Explained {
  readonly requestId: string;
  readonly refusals: readonly FilterRefusal[];
  readonly seed: number;
  /** The name of the policy. */
  readonly policy: string;
}

export interface Placed extends Explained {
  readonly placed: true;
  readonly nodeId: string;
  /** The best nodes, the chosen one first. */
  readonly scores: readonly NodeScore[];
}

export interface Unschedulable extends Explained {
  readonly placed: false;
  readonly unschedulable: string;
  readonly remedy: Remedy;
}

export type PlacementDecision = Placed | Unschedulable;
