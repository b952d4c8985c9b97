import type { DriverScope } from './networks.js';
import type { DriverOperation } from './operations.js';
import type { DriverRestrictions } from './restrictions.js';

/**
 * The abilities that a manifest may declare beyond the required operations on clusters and nodes. `machines`: the driver makes nodes of
 * machines that exist, whose engines it reaches by the schemes of `machineSchemes`.
 */
export const capabilities = [
  'containers',
  'networks',
  'volumes',
  'containerLogs',
  'containerStats',
  'nodeUpdate',
  'credentials',
  'monitor',
  'containerUsage',
  'api',
  'scale',
  'machines',
] as const;
export type Capability = (typeof capabilities)[number];

/** The actions on a cluster with all its nodes that a driver may have; each is an optional method of `cluster`. */
export const clusterActions = ['rebuild', 'softReboot', 'hardReboot'] as const;
export type ClusterAction = (typeof clusterActions)[number];

/** The attributes of clusters and node groups that only a driver can honour; a manifest names those that it honours. */
export const driverAttributes = [
  'network.driver',
  'network.cidr',
  'network.options',
  'api.port',
  'image',
  'flavor.diskGb',
  'dataVolumeGb',
  'volumes',
] as const;
export type DriverAttribute = (typeof driverAttributes)[number];

/** The attributes of the shared parts of a cluster, which a driver may be unable to change once they have nodes. */
export const sharedAttributes = ['network.driver', 'network.cidr', 'network.options', 'api.port'] as const;

/** The content of `driver.manifest.json`. */
export interface DriverManifest {
  readonly name: string;
  readonly version: string;
  /** Range of SDK versions, for example `^1`. */
  readonly sdk: string;
  /** The oldest driver version whose clusters this version operates; default: the first version of its minor line. */
  readonly compatibleFrom?: string;
  readonly engine: string;
  readonly os: string;
  readonly serverType: string;
  readonly capabilities: readonly Capability[];
  /** The attributes that the driver honours; requests with any other of them are refused. Default: none. */
  readonly attributes?: readonly DriverAttribute[];
  /** Those of `attributes` whose change the core refuses while the cluster has nodes. Default: none. */
  readonly fixedAttributes?: readonly (typeof sharedAttributes)[number][];
  /** Whether the driver serves projects other than `default` only where an operator names it in DRIVERS_ENABLED. */
  readonly requiresEnabling?: boolean;
  /** Whether the engine needs a node group of role manager. */
  readonly requiresManager?: boolean;
  /**
   * Whether workers are created while the first manager is, rather than when one is ready: the driver waits in `node.create` until the worker
   * can join, and throws a transient error when that takes too long. Only with `requiresManager`.
   */
  readonly startsWorkersEarly?: boolean;
  /** The most tasks that a conductor runs at a time, unless its operator sets another number; absent: as many as it runs at all. */
  readonly concurrency?: number;
  /** Whether a flavor may be given by its name alone, which the infrastructure knows; the driver then has `flavor`. */
  readonly namedFlavors?: boolean;
  /** Values for clusters and node groups that name none. */
  readonly defaults?: { readonly image?: string };
  /** The smallest node that the driver can build; smaller ones are refused before a request is accepted. */
  readonly minimumFlavor?: { readonly cpus?: number; readonly memoryMb?: number; readonly diskGb?: number };
  /**
   * The drivers of networks and of volumes, each with its scope. The options `networkDrivers` and `volumeDrivers` of a cluster or node group,
   * where the schema has them, replace these lists.
   */
  readonly networkDrivers?: Readonly<Record<string, DriverScope>>;
  readonly volumeDrivers?: Readonly<Record<string, DriverScope>>;
  /** The scope of drivers of networks and volumes that are not listed; absent: a driver that is not listed does not exist. */
  readonly otherDrivers?: DriverScope;
  /** The schemes of the URLs by which the driver reaches engines of machines, such as `unix`; present with the capability `machines`. */
  readonly machineSchemes?: readonly string[];
  /** Whether a cluster may have nodes on machines beside others. Default: true. Only with the capability `machines`. */
  readonly mixedMachines?: boolean;
  /** What the driver offers below `/v1/clusters/{id}/driver`; present with the capability `api`. */
  readonly operations?: readonly DriverOperation[];
  /** JSON Schema of the options of clusters and node groups, closed by `additionalProperties: false`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A manifest as a conductor offers it, with the limits of its configuration. */
export interface OfferedManifest extends DriverManifest {
  readonly restrictions?: DriverRestrictions;
  /** What the driver does to a cluster with all its nodes at once, which is otherwise done to each node. Absent: nothing. */
  readonly clusterActions?: readonly ClusterAction[];
  /** The projects whose clusters the driver serves; absent: all. */
  readonly projects?: readonly string[];
}
