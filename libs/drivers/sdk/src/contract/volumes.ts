import type { DriverContext } from './context.js';
import type { DriverScope } from './networks.js';
import type { Labels, Options, ResourceRef } from './specs.js';
import type { UnitResult } from './units.js';

/** A volume. One of node scope is created on `nodeId`, and its data is lost with that node. */
export interface VolumeSpec {
  readonly id: string;
  /** Unique in the cluster; containers name the volume by it. */
  readonly name: string;
  readonly generation: number;
  readonly clusterId: string;
  readonly scope: DriverScope;
  /** Present for scope `node`. */
  readonly nodeId?: string;
  /** The driver of the volume, such as `local`, or a plug-in. */
  readonly driver: string;
  /** What that driver is given. */
  readonly driverOptions: Options;
  /** `exclusive`: the containers of one node only use the volume at the same time. */
  readonly accessMode: 'shared' | 'exclusive';
  readonly labels: Labels;
  /** The options of the cluster, for a node of the cluster and of its node group. */
  readonly options: Options;
}

/** Identifies a volume; with `nodeId` the unit on that node only. */
export interface VolumeRef extends ResourceRef {
  readonly nodeId?: string;
}

/**
 * Operations on volumes; present when the manifest declares the capability `volumes`. For a volume of node scope each node has a unit of its
 * own, to which the rules of all lifecycles apply.
 */
export interface VolumeLifecycle {
  /** Creates the volume, empty. Throws `permanent` with the code `plugin-missing` and `plugin` where its driver does not exist. */
  create(ctx: DriverContext, spec: VolumeSpec): Promise<UnitResult>;
  /** Deletes the volume with its data. Throws `conflict` while a container uses it. */
  delete(ctx: DriverContext, ref: VolumeRef): Promise<void>;
}
