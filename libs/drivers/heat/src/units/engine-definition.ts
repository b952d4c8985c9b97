import type { MachineDescription, NodeDescription } from '@stave/bootstrap';
import type { ClusterResult, DriverApi, DriverContext, NodeSpec, ResourceRef } from '@stave/driver-sdk';
import type { SecretValues } from '../cloud/sealed-secrets.js';

/** The network of a cluster. */
export interface ClusterNetwork {
  readonly cidr: string;
  /** The address of the first manager, by which nodes and clients find the cluster. */
  readonly firstAddress: string;
}

export interface NamedCluster {
  readonly id: string;
  readonly name: string;
}

/** What is known about a node that is about to be made. */
export interface NodeSituation {
  readonly spec: NodeSpec;
  /** What nodes of all engines have. */
  readonly machine: MachineDescription;
  readonly network: ClusterNetwork;
  /** Whether the node has the first address of the network. Of the managers at most one has it at a time. */
  readonly hasFirstAddress: boolean;
  /** The addresses of the other managers that are complete. */
  readonly managers: readonly string[];
  readonly secrets: SecretValues;
  /** For how long the node may need what it joins with. */
  readonly joinWithinSeconds: number;
}

/** What a client of a cluster needs to know. */
export interface ReachedCluster {
  readonly cluster: NamedCluster;
  readonly network: ClusterNetwork;
  readonly secrets: SecretValues;
}

/** Returns what a client of the cluster needs. Throws `notFound` when it has no stack, and what a cloud throws that does not answer. */
export type ReachCluster = (ctx: DriverContext, cluster: ResourceRef) => Promise<ReachedCluster>;

/** What is different for each engine: the template definition of a driver on Heat. */
export interface EngineDefinition {
  /** The operating system of its machines, and the value of `os_distro` of its images. */
  readonly os: MachineDescription['os'];
  readonly userData: 'cloud-init' | 'ignition';
  /** The directory with `cluster.yaml` and optionally `node.yaml`. */
  readonly templates: string;
  /** Makes what all nodes and clients of a new cluster share; its stack keeps it, encrypted. */
  newSecrets(cluster: NamedCluster, network: ClusterNetwork): Promise<SecretValues>;
  /** Describes the node for `bootstrapNode`. Throws a DriverError for a node that the engine cannot have. */
  describe(node: NodeSituation): Promise<NodeDescription>;
  endpoints(network: ClusterNetwork): ClusterResult['endpoints'];
  /** Returns what a client needs to connect to the engine. */
  credentials(
    cluster: NamedCluster,
    network: ClusterNetwork,
    secrets: SecretValues,
  ): Promise<Readonly<Record<string, string>>>;
  /** Makes the operations of the driver. They ask the engine itself, so conductors need a route to the network of the cluster. */
  operations?(reach: ReachCluster): DriverApi;
}
