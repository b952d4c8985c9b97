import type { DriverContext } from './context.js';
import type { Labels, Options, ResourceRef } from './specs.js';
import type { UnitResult } from './units.js';

/** Where a network or volume exists: once in its cluster, or on each node on its own. Its driver decides. */
export type DriverScope = 'node' | 'cluster';

/** A network of containers. One of node scope is created on `nodeId`, where that node has none. */
export interface NetworkSpec {
  readonly id: string;
  /** Unique in the cluster; containers name the network by it. */
  readonly name: string;
  readonly generation: number;
  readonly clusterId: string;
  readonly scope: DriverScope;
  /** Present for scope `node`. */
  readonly nodeId?: string;
  /** The driver of the network, such as `bridge`, or a plug-in. */
  readonly driver: string;
  /** What that driver is given. */
  readonly driverOptions: Options;
  /** In CIDR notation; absent: the driver chooses. */
  readonly subnet?: string;
  readonly gateway?: string;
  readonly labels: Labels;
  /** The options of the cluster, for a node of the cluster and of its node group. */
  readonly options: Options;
}

/** Identifies a network; with `nodeId` the unit on that node only. */
export interface NetworkRef extends ResourceRef {
  readonly nodeId?: string;
}

/**
 * Operations on networks; present when the manifest declares the capability `networks`. For a network of node scope each node has a unit of
 * its own, to which the rules of all lifecycles apply.
 */
export interface NetworkLifecycle {
  /** Creates the network. Throws `permanent` with the code `plugin-missing` and `plugin` where its driver does not exist. */
  create(ctx: DriverContext, spec: NetworkSpec): Promise<UnitResult>;
  /** Deletes the network. Throws `conflict` while a container uses it; the endpoints of containers that no longer exist do not count. */
  delete(ctx: DriverContext, ref: NetworkRef): Promise<void>;
}
