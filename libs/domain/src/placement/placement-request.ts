import type { Labels, Resources, ScorerName, Toleration } from './model.js';
import type { HostPort } from './node-view.js';

/** What groups nodes into topology domains: `node`, `zone`, `region` or `label:<key>`. Nodes without it are one domain. */
export type TopologyKey = string;

export interface AffinityRule {
  readonly kind: 'together' | 'apart';
  readonly by: TopologyKey;
  /** The containers that the rule is about; absent: those of the own set. */
  readonly with?: { readonly set: string } | { readonly labels: Labels };
  readonly mode?: 'hard' | 'soft';
  /** The weight of a soft rule among those of the request: from 1 to 100, 50 by default. */
  readonly weight?: number;
  /** `apart` accepts fewer than so many of them in a domain; 1 by default. */
  readonly maxPer?: number;
}

export interface SpreadRule {
  readonly by: TopologyKey;
  /** 1 by default. */
  readonly maxSkew?: number;
  readonly mode?: 'hard' | 'soft';
}

/** Weights from 0 to 1000, 100 by default; 0 excludes. */
export interface WeightedPlaces {
  readonly nodes?: readonly { readonly node: string; readonly weight?: number }[];
  readonly zones?: readonly { readonly name: string; readonly region?: string; readonly weight?: number }[];
  readonly regions?: readonly { readonly name: string; readonly weight?: number }[];
  /** Whether only the listed places are allowed, which is the default. Otherwise others are used when the listed ones are full. */
  readonly strict?: boolean;
}

/** The effective properties of placement policies. */
export interface PlacementRules extends WeightedPlaces {
  /** The places of less specific policies: their exclusions, and those that are strict, hold as well. */
  readonly restrictions?: readonly WeightedPlaces[];
  /** Replace the weights of the engine's policy, scorer by scorer. */
  readonly scorers?: { readonly [scorer in ScorerName]?: number };
  /** Shares of the capacity, from 0.01 to 1. */
  readonly maxCpuUse?: number;
  readonly maxMemoryUse?: number;
  /** Over so many seconds use is averaged, for limits and scorers; 60 by default. */
  readonly windowSeconds?: number;
  /** Whether a node is refused whose use is not known although it has a limit; `allow` by default. */
  readonly whenUnknown?: 'allow' | 'refuse';
}

/** A volume of a request, with what is known of it. */
export interface RequestedVolume {
  /** Its id or its name: the same wherever the volume is meant. */
  readonly name: string;
  readonly id?: string;
  readonly driver: string;
  /** A volume of scope `node` is where it was first used. */
  readonly scope: 'node' | 'cluster';
  /** Used on one node at a time. */
  readonly exclusive?: boolean;
  /** The id of the node that has it (scope `node`). */
  readonly nodeId?: string;
  /** The node that has it is unreachable or was removed. */
  readonly lost?: boolean;
  /** The ids of the nodes that use it now. */
  readonly attachedTo?: readonly string[];
}

export interface RequestedNetwork {
  readonly name: string;
  readonly driver: string;
  /** A fixed address of a network of scope `cluster` is used once in the cluster, otherwise once on a node. */
  readonly scope: 'node' | 'cluster';
  readonly ipv4?: string;
}

/** Why a node with resources is not chosen for a while: it lacked a plug-in, or a user moved the container away from it. */
export type AvoidedFor = 'plugin' | 'moved';

export interface PlacementRequest extends Resources {
  readonly id: string;
  readonly nodeSelector?: Labels;
  readonly zone?: string;
  readonly region?: string;
  /** The id or name of the only node allowed. */
  readonly hostNode?: string;
  readonly tolerations?: readonly Toleration[];
  /** The ids of nodes that it is not placed on for a while. */
  readonly avoid?: readonly string[];
  /** Why, by their ids; absent for those that rejected it for lack of resources. */
  readonly avoidedFor?: { readonly [nodeId: string]: AvoidedFor };
  readonly setId?: string;
  readonly labels?: Labels;
  readonly network?: RequestedNetwork;
  readonly volumes?: readonly RequestedVolume[];
  readonly hostPorts?: readonly HostPort[];
  /** Of the request and of its policies. All that are hard hold; the soft ones count in this order. */
  readonly spread?: readonly SpreadRule[];
  readonly affinity?: readonly AffinityRule[];
  readonly placement?: PlacementRules;
  /** The members of its set after the change; by default those that stay and those that are asked for. For shares. */
  readonly members?: number;
}
