/** A cluster on the infrastructure. */
export interface ClusterResult {
  readonly infrastructureId: string;
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
}

/** What containers may use of a node: CPU cores and MiB. */
export interface NodeCapacity {
  readonly cpus: number;
  readonly memoryMb: number;
}

/** A node on the infrastructure. */
export interface NodeResult {
  readonly infrastructureId: string;
  readonly addresses: readonly string[];
  readonly engineVersion?: string;
  /** The identity of the engine or cloud on which the node was built. Set by the conductor where the driver has only one. */
  readonly engine?: string;
  /** The part of the flavor that containers may use: CPU cores and MiB. */
  readonly capacity: NodeCapacity;
}

/** A container on the infrastructure. */
export interface ContainerResult {
  readonly infrastructureId: string;
  readonly address?: string;
}

/** A network or volume on the infrastructure. */
export interface UnitResult {
  readonly infrastructureId: string;
}

/** The kinds of resources that exist on infrastructure. */
export type UnitKind = 'cluster' | 'node' | 'container' | 'network' | 'volume';

/** `starting`: no check has succeeded since the start, and too few have failed. */
export type ContainerHealth = 'healthy' | 'unhealthy' | 'starting';

/** One object on the infrastructure that carries this installation's labels. */
export interface Unit {
  /** The id that the infrastructure assigned (container id, stack UUID); it is never reused. */
  readonly infrastructureId: string;
  readonly kind: UnitKind;
  readonly resourceId: string;
  readonly clusterId: string;
  readonly generation: number;
  /** For a network or volume of node scope: the resource id of its node. */
  readonly nodeId?: string;
  readonly state: 'creating' | 'running' | 'stopped' | 'failed';
  readonly exitCode?: number;
  /** For a running container with a health check: what its checks have shown. Absent: not known. */
  readonly health?: ContainerHealth;
  /** For a container: the number of restarts by its engine. A container that waits for its next restart counts as running. */
  readonly restarts?: number;
  /** For a running node: its engine did not answer, so its containers are missing from the list and may still exist. */
  readonly containersUnknown?: boolean;
}

/** Utilisation of a container: CPU cores, MiB, and the ISO 8601 time of the sample. */
export interface ContainerStats {
  readonly cpuCores: number;
  readonly memoryMb: number;
  readonly at: string;
}

/** Utilisation of a running container on a node: CPU cores and MiB. */
export interface ContainerUsage {
  readonly containerId: string;
  readonly nodeId: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
}

/** CPU cores and MiB that an engine holds on a node for workloads that are not containers of Stave. */
export interface EngineReservation extends NodeCapacity {
  /** The part of it that each node of the node group has from its start. Growth expects it on new nodes. */
  readonly daemons: NodeCapacity;
}

/** Utilisation of a node: CPU cores and MiB. */
export interface NodeUsage {
  readonly nodeId: string;
  readonly cpuCores: number;
  readonly memoryMb: number;
  /**
   * What the engine holds on the node for workloads that are not containers of Stave, so that none are placed on it. Absent: not known now, and
   * what was known before holds. Zeros release it.
   */
  readonly reserved?: EngineReservation;
}
