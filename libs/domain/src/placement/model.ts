import type { Taint } from '@stave/driver-sdk';

export type Labels = { readonly [name: string]: string };

/** A taint that excludes containers that do not tolerate it. */
export interface HardTaint extends Taint {
  readonly effect: 'NoSchedule' | 'NoExecute';
}

/** Tolerates taints of this key; without `value` of any value, without `effect` of both effects. */
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
  /** How many containers the node has. */
  readonly containers: number;
}

export interface PlacementRequest extends Resources {
  readonly id: string;
  /** Labels that the node must have. */
  readonly nodeSelector?: Labels;
  readonly zone?: string;
  readonly region?: string;
  /** Id or name of the only node allowed. */
  readonly hostNode?: string;
  readonly tolerations?: readonly Toleration[];
  /** Ids of nodes that said lately that they had no room for it. */
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
  /** At least 0 each; what is 0 has no effect. */
  readonly weights: { readonly [scorer in ScorerName]: number };
}

/** How many nodes a filter refused (each node counts at the first filter that refuses it), and why. */
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
  /** The policy's name. */
  readonly policy: string;
}

export interface Placed extends Explained {
  readonly placed: true;
  readonly nodeId: string;
  /** The best few, best first; the first is the chosen one. */
  readonly scores: readonly NodeScore[];
}

export interface Unschedulable extends Explained {
  readonly placed: false;
  readonly unschedulable: string;
  readonly remedy: Remedy;
}

export type PlacementDecision = Placed | Unschedulable;
