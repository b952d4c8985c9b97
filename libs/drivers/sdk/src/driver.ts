import type { DriverContext, DriverLogger } from './contract/context.js';
import type { ClusterLifecycle, ContainerLifecycle, NodeLifecycle, NodeMonitor } from './contract/lifecycles.js';
import type { WantedFlavor } from './contract/flavors.js';
import type { MachineLifecycle } from './contract/machines.js';
import type { NetworkLifecycle } from './contract/networks.js';
import type { DriverApi } from './contract/operations.js';
import type { DriverRestrictions } from './contract/restrictions.js';
import type { NodeScale } from './contract/scale.js';
import type { VolumeLifecycle } from './contract/volumes.js';
import type { Flavor, Options } from './contract/specs.js';
import type { ContainerUsage, Unit } from './contract/units.js';

export * from './contract/context.js';
export * from './contract/specs.js';
export * from './contract/units.js';
export * from './contract/networks.js';
export * from './contract/volumes.js';
export * from './contract/attachments.js';
export * from './contract/lifecycles.js';
export * from './contract/machines.js';
export * from './contract/manifest.js';
export * from './contract/restrictions.js';
export * from './contract/flavors.js';
export * from './contract/operations.js';
export * from './contract/scale.js';

/** An open driver: the connection to one infrastructure on behalf of one installation. */
export interface Driver {
  readonly cluster: ClusterLifecycle;
  readonly node: NodeLifecycle;
  readonly containers?: ContainerLifecycle;
  readonly networks?: NetworkLifecycle;
  readonly volumes?: VolumeLifecycle;
  readonly monitor?: NodeMonitor;
  readonly machines?: MachineLifecycle;
  readonly scale?: NodeScale;
  readonly api?: DriverApi;
  /**
   * Returns one sample for every running container with this installation's labels whose utilisation is known; present when the manifest
   * declares the capability `containerUsage`.
   */
  containerUsage?(ctx: DriverContext): Promise<readonly ContainerUsage[]>;
  /**
   * Returns the flavor of this name with its sizes. Throws `permanent` with the code `flavor-unknown` where there is none. Present when the
   * manifest says `namedFlavors`; a driver that has none with its settings leaves it out, and users then give sizes. It is called before a
   * request is accepted, whose answer waits for it.
   */
  flavor?(ctx: DriverContext, wanted: WantedFlavor): Promise<Flavor>;
  /** Returns the value of a secret in the driver's own store; undefined where it has none of this name. Optional. */
  secret?(ctx: DriverContext, wanted: WantedSecret): Promise<string | undefined>;
  /** Returns every unit with this installation's labels, or those of one cluster. Used by the orphan sweep and the health checks. */
  list(ctx: DriverContext, filter?: { readonly clusterId?: string }): Promise<readonly Unit[]>;
  /**
   * Returns the identity of the engine or cloud whose units `list` returns: it stays the same across restarts and differs for every other
   * one, also an empty one at the same address. Nodes that were built on another one are not rebuilt without an administrator. A driver of
   * several engines or clouds returns the identity of each, and names that of a node in the result of its creation. Absent or undefined: not
   * known.
   */
  identity?(ctx: DriverContext): Promise<string | readonly string[] | undefined>;
  /** Removes exactly the unit with this infrastructure id, with everything that belongs to it alone; succeeds when it does not exist. */
  remove(ctx: DriverContext, unit: Unit): Promise<void>;
  /** Releases connections and timers. No call follows. */
  close(): Promise<void>;
}

/** A secret of a project. */
export interface WantedSecret {
  readonly name: string;
  /** The id and the name of the project. */
  readonly project: readonly string[];
  /** The options of the cluster and node of the container. */
  readonly options: Options;
}

/** The settings that a driver is opened with. */
export interface DriverSettings {
  /** The id of this installation, part of the labels of every unit. */
  readonly installation: string;
  /** A directory on the conductor's machine in which the driver may keep files. */
  readonly dataDir: string;
  /** The environment of the conductor. A driver documents the variables that it reads, such as DOCKER_HOST. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: DriverLogger;
}

/** The default export of a driver's main module. */
export interface DriverModule {
  /** Connects to the infrastructure. Throws DriverError when it cannot be reached. */
  open(settings: DriverSettings): Promise<Driver>;
  /**
   * Returns what users may ask for with this environment. Conductors offer it with the manifest, and services refuse the rest; the driver
   * refuses it again, because conductors may be configured differently. Absent: everything.
   */
  restrictions?(env: DriverSettings['env']): DriverRestrictions;
}
