import type { Taint } from '@stave/driver-sdk';

export type Labels = { readonly [name: string]: string };

/** A taint that excludes containers that do not tolerate it. */
export interface HardTaint extends Taint {
  readonly effect: 'NoSchedule' | 'NoExecute';
}

/** A taint that containers that do not tolerate it avoid where they can. */
export interface SoftTaint extends Taint {
  readonly effect: 'PreferNoSchedule';
}

/** Tolerates taints of this key: of any value without `value`, and of all effects without `effect`. */
export interface Toleration {
  readonly key: string;
  readonly value?: string;
  readonly effect?: Taint['effect'];
}

/** CPUs (to the thousandth) and memory in megabytes. */
export interface Resources {
  readonly cpus: number;
  readonly memoryMb: number;
}

/** The filters in the order in which they are asked. */
export const FILTER_CODES = [
  'NOT_HOST_NODE',
  'REGION_MISMATCH',
  'ZONE_MISMATCH',
  'LABELS_MISMATCH',
  'TAINT_NOT_TOLERATED',
  'NOT_IN_PLACEMENT',
  'NODE_NOT_READY',
  'NODE_NOT_SCHEDULABLE',
  'NETWORK_DRIVER_MISSING',
  'VOLUME_DRIVER_MISSING',
  'VOLUME_ON_OTHER_NODE',
  'VOLUME_NODE_LOST',
  'VOLUME_IN_USE',
  'ADDRESS_TAKEN',
  'AFFINITY',
  'ANTI_AFFINITY',
  'UTILISATION_TOO_HIGH',
  'UTILISATION_UNKNOWN',
  'NO_ROOM_FOUND',
  'SPREAD_EXCEEDED',
  'HOST_PORT_TAKEN',
  'INSUFFICIENT_ROOM',
] as const;

export type FilterCode = (typeof FILTER_CODES)[number];

export type ScorerName =
  | 'leastCpu'
  | 'leastMemory'
  | 'leastCpuUse'
  | 'leastMemoryUse'
  | 'spread'
  | 'pack'
  | 'random'
  | 'affinity'
  | 'untainted';

export interface PlacementPolicy {
  readonly name: string;
  readonly filters: readonly FilterCode[];
  /** At least 0 each, 0 where absent. A scorer with weight 0 has no effect. */
  readonly weights: { readonly [scorer in ScorerName]?: number };
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
  /** From 0 (worst) to 1, of the scorers with a weight. One that cannot separate nodes for this request is left out. */
  readonly parts: { readonly [scorer in ScorerName]?: number };
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

export type { ContainerKind, FixedAddress, HeldContainers, HostPort, NodeView } from './node-view.js';
export type {
  AffinityRule,
  AvoidedFor,
  PlacementRequest,
  PlacementRules,
  RequestedNetwork,
  RequestedVolume,
  SpreadRule,
  TopologyKey,
  WeightedPlaces,
} from './placement-request.js';
