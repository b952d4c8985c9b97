import type { DriverContext } from './context.js';
import type { ClusterSpec, ContainerRef, ContainerSpec, ExpectedNode, NodeSpec, ResourceRef } from './specs.js';
import type { ClusterResult, ContainerResult, ContainerStats, NodeCapacity, NodeResult, NodeUsage } from './units.js';

/**
 * Operations on the shared part of a cluster. The following holds for the operations of all lifecycles:
 * - Every call is idempotent by resource id and generation, and may be repeated after a crash at any point.
 * - Create removes units of lower generations, adopts a unit of its own generation, and throws `conflict` when a higher generation exists.
 * - Delete removes all units of the resource up to the generation of the reference; it succeeds when there are none.
 * - A unit of a higher generation is never changed.
 * - A call stops at the signal of its context, and throws only DriverError.
 */
export interface ClusterLifecycle {
  create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  /**
   * Changes the cluster in place. Throws `notFound` when it does not exist, `unsupported` for a change that is impossible in place. After `notFound`
   * the cluster is created from the same specification, and the update is repeated.
   */
  update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  delete(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Returns the current state, or undefined when the cluster does not exist. */
  inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined>;
  /** Returns what a client needs to connect to the cluster. The result is never stored. Throws `notFound`. */
  credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>>;
  /**
   * Rebuilds the cluster with all its nodes at once, from the specification. Optional, as the two below: where it is present, the action on a
   * cluster is one task that calls it once, and none on its nodes. Nodes and containers keep generation, infrastructure id and addresses: a
   * driver that cannot promise this omits the method. No task on nodes starts meanwhile. Throws `notFound`, which is treated as that of `update`.
   */
  rebuild?(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  /** Restarts all nodes of the cluster and gives their processes time to stop. Throws `notFound`. */
  softReboot?(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Restarts all nodes of the cluster without waiting for their processes. Throws `notFound`. */
  hardReboot?(ctx: DriverContext, ref: ResourceRef): Promise<void>;
}

/** Operations on nodes. A node is a unit of its own; an operation on it never changes another node. */
export interface NodeLifecycle {
  create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  /** Replaces the unit of a node by one of a new generation; id and ordinal of the node stay. */
  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  /** Changes labels, taints and options in place; an option that only later calls read needs no change of the infrastructure. Throws `notFound`. */
  update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  /** Restarts the node and gives its processes time to stop. Throws `notFound`. */
  softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Restarts the node without waiting for its processes. Throws `notFound`. */
  hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Makes the engine place no further work on the node, for example by Swarm's availability. The scheduler evicts containers itself. */
  drain(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Reverts `drain`. */
  undrain(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  delete(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Returns the current state, or undefined when the node does not exist. */
  inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined>;
  /** Returns the `capacity` that a node of this flavor would have; it needs no infrastructure. Optional: without it, that of the flavor is assumed. */
  expectedCapacity?(ctx: DriverContext, node: ExpectedNode): Promise<NodeCapacity>;
}

/** Operations on containers; present when the manifest declares the capability `containers`. */
export interface ContainerLifecycle {
  /** Creates what the node lacks of `attachments`, then creates and starts the container. */
  create(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult>;
  /** Changes limits and restart policy of the existing unit in place. Throws `notFound`. */
  update(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult>;
  /** Starts the container; succeeds when it runs. Throws `notFound`. */
  start(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult>;
  /** Stops the container; succeeds when it does not run. Throws `notFound`. */
  stop(ctx: DriverContext, ref: ContainerRef): Promise<void>;
  /** Stops and starts the container. Throws `notFound`. */
  restart(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult>;
  /** Deletes the container, and then those of `leaving` that nothing uses on its node. */
  delete(ctx: DriverContext, ref: ContainerRef): Promise<void>;
  /** Returns at most the last `tail` lines, with standard output and error in order. Throws `notFound`. */
  logs(ctx: DriverContext, ref: ContainerRef, options: { readonly tail: number }): Promise<string>;
  /**
   * Returns the last `tail` lines and then every new text, until the container ends or the signal fires; neither is an error. Optional.
   * Reads only as fast as its consumer. Rejects with `notFound` before the first text when the container does not exist.
   */
  follow?(ctx: DriverContext, ref: ContainerRef, options: { readonly tail: number }): Promise<AsyncIterable<string>>;
  /** Returns the current utilisation. Throws `conflict` with the code `not-running` for a container that does not run. */
  stats(ctx: DriverContext, ref: ContainerRef): Promise<ContainerStats>;
}

/** Utilisation of nodes; present when the manifest declares the capability `monitor`. */
export interface NodeMonitor {
  /** Returns one sample for every running node with this installation's labels. */
  usage(ctx: DriverContext): Promise<readonly NodeUsage[]>;
}
