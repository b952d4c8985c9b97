import type { ClusterSpec, ContainerSpec, Driver, NodeSpec } from '../driver.js';

/**
 * What the kit needs of a driver under test. Every spec has an id that was never used before; overrides win. The kit makes its
 * cluster's first node with role manager, all others as workers.
 */
export interface DriverFixture {
  /** Connects anew; called several times, on the same infrastructure. */
  open(): Promise<Driver>;
  clusterSpec(): ClusterSpec;
  nodeSpec(overrides: Partial<NodeSpec> & Pick<NodeSpec, 'cluster'>): NodeSpec;
  containerSpec(overrides: Partial<ContainerSpec> & Pick<ContainerSpec, 'clusterId' | 'nodeId'>): ContainerSpec;
  /** Real infrastructure: minutes instead of seconds per check, and only the first and the last crash point of a call. */
  readonly slow?: boolean;
  cleanup(): Promise<void>;
}
