import type { ClusterSpec, ContainerSpec, Driver, Machine, NetworkSpec, NodeSpec, VolumeSpec } from '../../driver.js';

/** A call of an operation of the driver, which the kit makes on its cluster. */
export interface OperationExample {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Provides the conformance kit with a driver and with specifications. Every specification has a new id and the given
 * overrides. The first node of the kit's cluster has the role manager, all others are workers.
 */
export interface DriverFixture {
  /** Opens the driver. The kit calls this several times, always for the same infrastructure. */
  open(): Promise<Driver>;
  clusterSpec(): ClusterSpec;
  nodeSpec(overrides: Partial<NodeSpec> & Pick<NodeSpec, 'cluster'>): NodeSpec;
  containerSpec(overrides: Partial<ContainerSpec> & Pick<ContainerSpec, 'clusterId' | 'nodeId'>): ContainerSpec;
  /** Default: an `overlay` of cluster scope. A specification of node scope without a node gets the first one. */
  networkSpec?(overrides: Partial<NetworkSpec> & Pick<NetworkSpec, 'clusterId'>): NetworkSpec;
  /** Default: a `local` volume of cluster scope. A specification of node scope without a node gets the first one. */
  volumeSpec?(overrides: Partial<VolumeSpec> & Pick<VolumeSpec, 'clusterId'>): VolumeSpec;
  /** A machine on which nothing of this installation is; absent: machines are not checked. */
  machine?(): Promise<Machine>;
  /** Removes the units of a cluster behind the back of the driver, although it has nodes; absent: that loss is not checked. */
  loseCluster?(clusterId: string): Promise<void>;
  /** Examples of calls of operations, by name. Operations that read and need no parameters are called without one. */
  readonly operations?: Readonly<Record<string, OperationExample>>;
  /** For real infrastructure: checks may take minutes, and calls crash only at their first and last change. */
  readonly slow?: boolean;
  /** Removes everything that the fixture itself created. */
  cleanup(): Promise<void>;
}
