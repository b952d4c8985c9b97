import type { SoftTaint } from './model.js';
import type { HardTaint, Labels, Resources } from './model.js';
import type { AffinityRule } from './placement-request.js';

export interface HostPort {
  /** From 1 to 65,535. In a request, 0 asks for any free one of 30000 to 32767. */
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
}

/** A fixed address in the network of this name. */
export interface FixedAddress {
  readonly network: string;
  readonly ipv4: string;
}

/** What affinity and spread see of a container. Containers of one set and revision are of one kind; sharing the object saves work. */
export interface ContainerKind {
  readonly setId?: string;
  readonly labels: Labels;
  /** The rules of the container. Those that are hard and keep apart hold for newcomers, too. */
  readonly affinity?: readonly AffinityRule[];
}

/** Containers of one kind on a node. */
export interface HeldContainers {
  readonly kind: ContainerKind;
  readonly count: number;
  /** So many of them leave, as in a rollout: they do not count for spread and shares. */
  readonly leaving?: number;
}

export interface NodeView {
  readonly id: string;
  readonly name: string;
  readonly nodeGroupId: string;
  readonly zone?: string;
  readonly region?: string;
  readonly ready: boolean;
  /** It is being removed, or its group has accepted that: nothing makes it ready again. */
  readonly leaving?: true;
  /** False while the node is cordoned or draining. */
  readonly schedulable: boolean;
  readonly role: string;
  readonly labels: Labels;
  readonly taints: readonly HardTaint[];
  readonly softTaints?: readonly SoftTaint[];
  readonly capacity: Resources;
  readonly allocated: Resources;
  readonly containers: number;
  /** The kinds of its containers. Those that are not listed count for no affinity and no set. */
  readonly held?: readonly HeldContainers[];
  /** The drivers for networks that the node has; absent when it cannot list them, and then it is not refused for them. */
  readonly networkDrivers?: readonly string[];
  /** The same for volumes. */
  readonly volumeDrivers?: readonly string[];
  /** Plug-ins that the node refused recently, listed or not. */
  readonly refusedPlugins?: readonly string[];
  /** The mean use as a share of the capacity, from 0 to 1, over the window that the policy asks for; absent when unknown. */
  readonly use?: { readonly cpu?: number; readonly memory?: number };
  readonly hostPorts?: readonly HostPort[];
  readonly addresses?: readonly FixedAddress[];
}
