import {
  DriverError,
  type ClusterLifecycle,
  type ClusterResult,
  type ClusterSpec,
  type DriverContext,
  type ResourceRef,
} from '@stave/driver-sdk';
import {
  type ClusterNetworks,
  generationOf,
  type NetworkSummary,
  requireNotSuperseded,
  sameSubnet,
} from '@stave/docker';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { NodeVolumes } from './node-volumes.js';
import type { RunDirectory } from './run-directory.js';
import type { SwarmManagers } from './swarm-manager.js';
import { heartbeatSecondsOf } from './heartbeat.js';

/** Operations on clusters. The shared part of a cluster is its network; its first manager node initializes the Swarm. */
export class SwarmClusters implements ClusterLifecycle {
  constructor(
    private readonly networks: ClusterNetworks,
    private readonly inventory: Inventory,
    private readonly claim: SwarmInitClaim,
    private readonly managers: SwarmManagers,
    private readonly nodeVolumes: NodeVolumes,
    private readonly runDirectory: RunDirectory,
  ) {}

  /**
   * Creates or adopts the network, and replaces one of a lower generation or with another subnet. A network with nodes is adopted in any
   * case, because nodes cannot change their network. Nodes that lost it are connected to it again.
   */
  async create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    ctx.progress('create cluster network');
    const [present, nodes] = await Promise.all([
      this.networks.ofCluster(ctx, spec.id),
      this.inventory.nodes(ctx, { clusterId: spec.id }),
    ]);
    requireNotSuperseded(`cluster ${spec.id}`, spec.generation, present[0] && generationOf(present[0].Labels));
    const [newest] = present;
    const isAdopted = newest !== undefined && nodes.length > 0;
    for (const network of isAdopted ? [] : present)
      if (generationOf(network.Labels) < spec.generation || !hasSubnet(network, spec.network.cidr))
        await this.networks.remove(ctx, network.Id);
    const network = isAdopted ? newest : await this.networks.ensure(ctx, spec);
    await this.networks.reconnect(ctx, network, nodes);
    return this.result(ctx, spec.id, network);
  }

  /** Changes the interval of heartbeats, and the subnet, which is possible only while the cluster has no nodes. */
  async update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const manager = await this.managers.find(ctx, spec.id);
    await manager?.setHeartbeat(ctx, heartbeatSecondsOf(spec));
    return this.updateNetwork(ctx, spec);
  }

  private async updateNetwork(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const [network] = await this.networks.ofCluster(ctx, spec.id);
    if (!network) throw new DriverError('notFound', `cluster ${spec.id} does not exist on this engine`);
    if (hasSubnet(network, spec.network.cidr)) return this.result(ctx, spec.id, network);
    const [node] = await this.inventory.nodes(ctx, { clusterId: spec.id });
    const message = `the network ${subnetOf(network)} cannot change while the cluster has nodes`;
    if (node) throw new DriverError('unsupported', message);
    return this.create(ctx, spec);
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const present = await this.networks.ofCluster(ctx, ref.id);
    const removable = present.filter(network => generationOf(network.Labels) <= ref.generation);
    await this.requireNoNodes(ctx, ref.id);
    for (const network of removable) await this.networks.remove(ctx, network.Id);
    // a network of a higher generation needs the other objects of the cluster
    if (removable.length === present.length) await this.removeOthers(ctx, ref.id);
  }

  /** Removes the network with this id, and with the last network everything that belongs to the cluster. */
  async removeNetwork(ctx: DriverContext, clusterId: string, networkId: string): Promise<void> {
    const present = await this.networks.ofCluster(ctx, clusterId);
    if (!present.some(one => one.Id === networkId)) return;
    if (present.length === 1) await this.requireNoNodes(ctx, clusterId);
    await this.networks.remove(ctx, networkId);
    if (present.length === 1) await this.removeOthers(ctx, clusterId);
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined> {
    const network = await this.find(ctx, ref);
    return network && this.result(ctx, ref.id, network);
  }

  /** Returns the socket of a manager and what an engine needs to join the Swarm; an empty object while no manager answers. */
  async credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>> {
    if (!(await this.find(ctx, ref)))
      throw new DriverError('notFound', `cluster ${ref.id} does not exist on this engine`);
    const manager = await this.managers.find(ctx, ref.id);
    if (!manager) return {};
    const tokens = await manager.tokens(ctx);
    return {
      endpoint: urlOf(manager.container),
      managerAddress: `${manager.container.address}:2377`,
      workerJoinToken: tokens.Worker,
      managerJoinToken: tokens.Manager,
    };
  }

  private async requireNoNodes(ctx: DriverContext, clusterId: string): Promise<void> {
    const [node] = await this.inventory.nodes(ctx, { clusterId });
    if (node) throw new DriverError('transient', `cluster ${clusterId} still has node ${node.nodeId}`);
  }

  /** Removes all objects of a cluster except its networks. */
  private async removeOthers(ctx: DriverContext, clusterId: string): Promise<void> {
    await this.claim.removeAll(ctx, clusterId);
    await this.nodeVolumes.removeUnused(ctx, { clusterId });
    await this.runDirectory.removeCluster(ctx, clusterId);
  }

  private async find(ctx: DriverContext, ref: ResourceRef): Promise<NetworkSummary | undefined> {
    const networks = await this.networks.ofCluster(ctx, ref.id);
    return networks.find(network => generationOf(network.Labels) <= ref.generation);
  }

  private async result(ctx: DriverContext, clusterId: string, network: NetworkSummary): Promise<ClusterResult> {
    const managers = await this.inventory.nodes(ctx, { clusterId, role: 'manager' });
    const endpoints = managers.map(node => ({ name: node.nodeId, url: urlOf(node) }));
    return { infrastructureId: network.Id, endpoints };
  }
}

const urlOf = ({ socket, machine }: NodeContainer): string => machine?.engine.url ?? `unix://${socket}`;

const subnetOf = (network: NetworkSummary): string | undefined => network.IPAM.Config?.[0]?.Subnet;

/** Whether the network has the wanted subnet. Any subnet will do where the cluster names none. */
function hasSubnet(network: NetworkSummary, wanted: string | undefined): boolean {
  const subnet = subnetOf(network);
  return wanted === undefined || subnet === undefined || sameSubnet(subnet, wanted);
}
