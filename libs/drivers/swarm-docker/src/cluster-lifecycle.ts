import {
  DriverError,
  type ClusterLifecycle,
  type ClusterResult,
  type ClusterSpec,
  type DriverContext,
  type ResourceRef,
} from '@stave/driver-sdk';
import { type ClusterNetworks, generationOf, type NetworkSummary, provideNetwork, updateNetwork } from '@stave/docker';
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

  async create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const { networks, inventory } = this;
    return this.result(ctx, spec.id, await provideNetwork(ctx, spec, { networks, inventory }));
  }

  /** Changes the interval of heartbeats, and the subnet, which is possible only while the cluster has no nodes. */
  async update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const manager = await this.managers.find(ctx, spec.id);
    await manager?.setHeartbeat(ctx, heartbeatSecondsOf(spec));
    const { networks, inventory } = this;
    return this.result(ctx, spec.id, await updateNetwork(ctx, spec, { networks, inventory }));
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
