import type { Problem } from '../kernel/decider.js';
import type { NodeView, PlacementRequest } from '../placement/index.js';

/** How a node group follows the containers that wait, and the nodes that stand idle. Times are seconds. */
export interface NodeGroupAutoscaling {
  readonly enabled: boolean;
  /** From 0 to 1000; groups of a higher priority grow first. */
  readonly priority: number;
  /** The cost of a node; default: its CPUs and a quarter for each GB of memory. */
  readonly cost?: number;
  readonly idleSeconds: number;
  /** A node is idle while less than this share of its CPUs and of its memory is requested. */
  readonly idleThreshold: number;
  readonly growSettleSeconds: number;
  readonly delayAfterGrowSeconds: number;
  /** How long a node that was proposed or is being built counts as there. */
  readonly provisionSeconds: number;
  /** The most nodes of one proposal. */
  readonly maxStep: number;
  /** What is kept free: so many containers of this size. */
  readonly headroom: { readonly cpus: number; readonly memoryMb: number; readonly containers: number };
  readonly manualHoldSeconds: number;
}

/** What the autoscaler of a node group does now; the first that holds. */
export type NodeGroupScalingState =
  | 'disabled'
  /** A user has changed the count lately. */
  | 'held'
  /** The cluster is paused, or the group rolls. */
  | 'paused'
  | 'scalingOut'
  | 'scalingIn'
  /** Its nodes lacked capacity lately. */
  | 'resting'
  | 'quotaLimited'
  | 'atMax'
  | 'atMin'
  | 'steady';

export const defaultNodeGroupAutoscaling: NodeGroupAutoscaling = {
  enabled: false,
  priority: 100,
  idleSeconds: 600,
  idleThreshold: 0.5,
  growSettleSeconds: 1,
  delayAfterGrowSeconds: 600,
  provisionSeconds: 900,
  maxStep: 10,
  headroom: { cpus: 0, memoryMb: 0, containers: 0 },
  manualHoldSeconds: 300,
};

/** As requests give it: what is absent has its default. */
export type NodeGroupAutoscalingInput = Partial<Omit<NodeGroupAutoscaling, 'headroom'>> & {
  readonly headroom?: Partial<NodeGroupAutoscaling['headroom']>;
};

/** Returns the settings with their defaults filled in. */
export const fullNodeGroupAutoscaling = (given: NodeGroupAutoscalingInput): NodeGroupAutoscaling => ({
  ...defaultNodeGroupAutoscaling,
  ...given,
  headroom: { ...defaultNodeGroupAutoscaling.headroom, ...given.headroom },
});

/** Returns a problem when the autoscaler has no bound; `pointer` is that of the bound. `prefix` begins the detail. */
export function nodeGroupAutoscalingProblems(
  spec: { readonly autoscaling?: NodeGroupAutoscalingInput; readonly maxCount?: number },
  pointer: string,
  prefix = '',
): readonly Problem[] {
  if (!spec.autoscaling?.enabled || spec.maxCount !== undefined) return [];
  const detail = `${prefix}a node group that is scaled by what waits needs a maxCount`;
  return [{ pointer, code: 'required', detail }];
}

/** A node group as growing and shrinking see it. */
export interface ScaledGroup {
  readonly id: string;
  readonly name: string;
  readonly autoscaling: NodeGroupAutoscaling;
  /** Nodes there and upcoming. */
  readonly count: number;
  readonly minCount: number;
  readonly maxCount: number;
  /** Why it cannot grow now: its cluster is paused, or it rolls. */
  readonly paused?: boolean;
  /** Until when it rests because its nodes failed for lack of capacity; milliseconds. */
  readonly restsUntil?: number;
  /** How many nodes the quota of the project still allows; default: any number. */
  readonly quotaLeft?: number;
  /** Returns the n-th node that it would get next: its labels, taints and drivers, the zone by its spread, and its capacity. */
  readonly nextNode: (n: number) => NodeView;
}

/** Places requests on nodes, in order; the engine of placement with the policies of the cluster. Pure. */
export type Place = (
  nodes: readonly NodeView[],
  requests: readonly PlacementRequest[],
) => readonly { readonly requestId: string; readonly placed: boolean; readonly nodeId?: string }[];

export const costOf = ({ autoscaling, nextNode }: ScaledGroup): number => {
  const { cpus, memoryMb } = nextNode(0).capacity;
  return autoscaling.cost ?? cpus + memoryMb / 4096;
};

/** Returns how many nodes the group may get now. */
export const roomOf = ({ count, maxCount, autoscaling, quotaLeft = Infinity }: ScaledGroup): number =>
  Math.max(0, Math.min(maxCount - count, autoscaling.maxStep, quotaLeft));

/** Returns the requests that have a place on the nodes. */
export const placedOf = (place: Place, nodes: readonly NodeView[], requests: readonly PlacementRequest[]) => {
  const placed = new Set(place(nodes, requests).flatMap(decision => (decision.placed ? [decision.requestId] : [])));
  return requests.filter(({ id }) => placed.has(id));
};

/** Returns the requests that stand for what a group keeps free. */
export const headroomOf = ({ id, autoscaling: { headroom } }: ScaledGroup): readonly PlacementRequest[] =>
  Array.from({ length: headroom.containers }, (_, i) => {
    return { id: `headroom ${id} ${i}`, cpus: headroom.cpus, memoryMb: headroom.memoryMb };
  });

const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 1_800_000;

/** Returns how long a group rests after so many failures in a row for lack of capacity, in milliseconds. */
export const restMs = (failures: number): number => Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1));
