import type { DriverContext } from './context.js';
import type { ClusterSpec, ContainerRef, ContainerSpec, NodeSpec, ResourceRef } from './specs.js';
import type { ClusterResult, ContainerResult, ContainerStats, NodeResult, NodeUsage } from './units.js';

/**
 * The contract of every call: idempotent by resource id and generation; safe to repeat after a crash at any point. Create adopts
 * what carries its own id and generation; it first removes what is left of LOWER generations. Delete removes all units of the
 * resource with a generation up to the reference's, by infrastructure ids read in the same call; what is gone is success.
 * Errors are DriverError. All of them stop at the context's signal.
 */
export interface ClusterLifecycle {
  create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult>;
  delete(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined>;
  credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>>;
}

/** Node operations; a node is its own unit and never touches its neighbours. `rebuild` keeps id and ordinal, with a new generation. */
export interface NodeLifecycle {
  create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  /** In place: labels and taints. */
  update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult>;
  softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** The engine's own part of a drain (e.g. Swarm availability); the eviction itself is the scheduler's. */
  drain(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  /** Takes the engine's part of a drain back. */
  undrain(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  delete(ctx: DriverContext, ref: ResourceRef): Promise<void>;
  inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined>;
}

/** Containers on nodes; present when the manifest declares the capability `containers`. */
export interface ContainerLifecycle {
  /** Created and started. Networks and volumes that it names are made where they do not exist. */
  create(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult>;
  /** In place, of the unit that stands: limits and restart policy as the spec has them. */
  update(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult>;
  start(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult>;
  stop(ctx: DriverContext, ref: ContainerRef): Promise<void>;
  restart(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult>;
  delete(ctx: DriverContext, ref: ContainerRef): Promise<void>;
  /** The last `tail` lines, standard output and error in order. */
  logs(ctx: DriverContext, ref: ContainerRef, options: { readonly tail: number }): Promise<string>;
  /**
   * The last `tail` lines and then what is written from now on, until the container ends or the signal fires, which is no error.
   * Reads no further than it is asked for. Rejects before the first text for what is not there; optional.
   */
  follow?(ctx: DriverContext, ref: ContainerRef, options: { readonly tail: number }): Promise<AsyncIterable<string>>;
  /** Throws `conflict` with the code `not-running` for one that does not run: nothing is known then. */
  stats(ctx: DriverContext, ref: ContainerRef): Promise<ContainerStats>;
}

/** Utilisation; present when the manifest declares the capability `monitor`. */
export interface NodeMonitor {
  /** Of every node that runs under this installation's labels. */
  usage(ctx: DriverContext): Promise<readonly NodeUsage[]>;
}
