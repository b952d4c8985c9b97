import type { DriverContext, DriverLogger } from './contract/context.js';
import type { ClusterLifecycle, ContainerLifecycle, NodeLifecycle, NodeMonitor } from './contract/lifecycles.js';
import type { Unit } from './contract/units.js';

export * from './contract/context.js';
export * from './contract/specs.js';
export * from './contract/units.js';
export * from './contract/lifecycles.js';
export * from './contract/manifest.js';

export interface Driver {
  readonly cluster: ClusterLifecycle;
  readonly node: NodeLifecycle;
  readonly containers?: ContainerLifecycle;
  readonly monitor?: NodeMonitor;
  /** Everything under this installation's labels, or of one cluster: for the orphan sweep and for health. */
  list(ctx: DriverContext, filter?: { readonly clusterId?: string }): Promise<readonly Unit[]>;
  /** Removes exactly this unit (by its infrastructure id) with what belongs to it alone; success when it is gone. */
  remove(ctx: DriverContext, unit: Unit): Promise<void>;
  close(): Promise<void>;
}

/** What a driver is started with. */
export interface DriverSettings {
  /** This installation's id; stands in every label. */
  readonly installation: string;
  readonly dataDir: string;
  /** The conductor's environment (a driver documents what it reads: DOCKER_HOST, FAKE_CLOUD_URL ...). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: DriverLogger;
}

/** The default export of a driver's main module. */
export interface DriverModule {
  /** Connects; throws DriverError when its infrastructure cannot be reached. */
  open(settings: DriverSettings): Promise<Driver>;
}
