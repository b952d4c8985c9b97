import {
  DriverError,
  type ClusterLifecycle,
  type ClusterResult,
  type ClusterSpec,
  type DriverContext,
  type ResourceRef,
} from '@stave/driver-sdk';
import { sameSubnet } from './address.js';
import type { NetworkSummary } from './engine-types.js';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import type { Inventory } from './inventory.js';
import { generationOf } from './labels.js';
import type { ClusterNetworks } from './network.js';
import type { NodeVolumes } from './node-volumes.js';
import type { RunDirectory } from './run-directory.js';
import type { SwarmManagers } from './swarm-manager.js';

interface ClusterParts {
  readonly networks: ClusterNetworks;
  readonly inventory: Inventory;
  readonly claim: SwarmInitClaim;
  readonly managers: SwarmManagers;
  readonly nodeVolumes: NodeVolumes;
  readonly runDirectory: RunDirectory;
}

/** Operations on clusters. The shared part of a cluster is its network; its first manager node initializes the Swarm. */
export class SwarmClusters implements ClusterLifecycle {
  constructor(private readonly parts: ClusterParts) {}

  /** Creates or adopts the network. A network of a lower generation with nodes is adopted, because nodes cannot change their network. */
  async create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const { networks, inventory } = this.parts;
    ctx.progress('create cluster network');
    const [present, nodes] = await Promise.all([
      networks.ofCluster(ctx, spec.id),
      inventory.nodes(ctx, { clusterId: spec.id }),
    ]);
    requireNotSuperseded(spec, present);
    const own = present.find(network => generationOf(network.Labels) === spec.generation);
    const older = present.filter(network => generationOf(network.Labels) < spec.generation);
    if (nodes.length > 0) {
      const used = own ?? older[0];
      if (used) return this.result(ctx, spec.id, used);
    }
    for (const network of older) await networks.remove(ctx, network.Id);
    return this.result(ctx, spec.id, await networks.ensure(ctx, spec));
  }

  /** Changes the subnet, which is possible only while the cluster has no nodes; nothing else of a cluster is on the infrastructure. */
  async update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const [network] = await this.parts.networks.ofCluster(ctx, spec.id);
    if (!network) throw new DriverError('notFound', `cluster ${spec.id} does not exist on this engine`);
    const [subnet, wanted] = [network.IPAM.Config?.[0]?.Subnet, spec.network.cidr];
    if (wanted === undefined || subnet === undefined || sameSubnet(subnet, wanted))
      return this.result(ctx, spec.id, network);
    const [node] = await this.parts.inventory.nodes(ctx, { clusterId: spec.id });
    if (node) throw new DriverError('unsupported', `the network ${subnet} cannot change while the cluster has nodes`);
    return this.create(ctx, spec);
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const { networks, claim, nodeVolumes, runDirectory } = this.parts;
    const present = await networks.ofCluster(ctx, ref.id);
    const [node] = await this.parts.inventory.nodes(ctx, { clusterId: ref.id });
    if (node) throw new DriverError('transient', `cluster ${ref.id} still has node ${node.nodeId}`);
    const removable = present.filter(network => generationOf(network.Labels) <= ref.generation);
    for (const network of removable) await networks.remove(ctx, network.Id);
    if (removable.length < present.length) return; // a newer generation exists, which owns the rest
    for (const volume of await claim.volumes(ctx, ref.id)) await claim.removeVolume(ctx, volume.Name);
    await nodeVolumes.removeLeftOf(ctx, ref.id);
    await runDirectory.removeCluster(ctx, ref.id);
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined> {
    const network = await this.find(ctx, ref);
    return network && this.result(ctx, ref.id, network);
  }

  /** Returns the socket of a manager and what an engine needs to join the Swarm; nothing while no manager answers. */
  async credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>> {
    if (!(await this.find(ctx, ref)))
      throw new DriverError('notFound', `cluster ${ref.id} does not exist on this engine`);
    const manager = await this.parts.managers.find(ctx, ref.id);
    if (!manager) return {};
    const tokens = await manager.tokens(ctx);
    return {
      endpoint: `unix://${manager.container.socket}`,
      managerAddress: `${manager.container.address}:2377`,
      workerJoinToken: tokens.Worker,
      managerJoinToken: tokens.Manager,
    };
  }

  private async find(ctx: DriverContext, ref: ResourceRef): Promise<NetworkSummary | undefined> {
    const networks = await this.parts.networks.ofCluster(ctx, ref.id);
    return networks.find(network => generationOf(network.Labels) <= ref.generation);
  }

  private async result(ctx: DriverContext, clusterId: string, network: NetworkSummary): Promise<ClusterResult> {
    const managers = await this.parts.inventory.nodes(ctx, { clusterId, role: 'manager' });
    const endpoints = managers.map(node => ({ name: node.nodeId, url: `unix://${node.socket}` }));
    return { infrastructureId: network.Id, endpoints };
  }
}

function requireNotSuperseded(spec: ClusterSpec, present: readonly NetworkSummary[]): void {
  const newest = present[0] ? generationOf(present[0].Labels) : 0;
  if (newest > spec.generation)
    throw new DriverError('conflict', `cluster ${spec.id} has the higher generation ${newest}`);
}
