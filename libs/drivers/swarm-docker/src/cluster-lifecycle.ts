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
import type { FounderClaim } from './founder-claim.js';
import type { Inventory } from './inventory.js';
import { generationOf } from './labels.js';
import type { ClusterNetworks } from './network.js';
import type { NodeVolumes } from './node-volumes.js';
import type { RunDirectory } from './run-directory.js';
import type { SwarmManagers } from './swarm-manager.js';

export interface ClusterParts {
  readonly networks: ClusterNetworks;
  readonly inventory: Inventory;
  readonly claim: FounderClaim;
  readonly managers: SwarmManagers;
  readonly nodeVolumes: NodeVolumes;
  readonly runDirectory: RunDirectory;
}

/** The shared part of a cluster: its network. The Swarm itself begins with the first manager node. */
export class SwarmClusters implements ClusterLifecycle {
  constructor(private readonly parts: ClusterParts) {}

  /** A network of a lower generation that has nodes on it stays: nodes cannot change networks, and theirs serves as well. */
  async create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const { networks, inventory } = this.parts;
    ctx.progress('create cluster network');
    const [present, nodes] = await Promise.all([
      networks.ofCluster(ctx, spec.id),
      inventory.nodes(ctx, { clusterId: spec.id }),
    ]);
    refuseSuperseded(spec, present);
    const own = present.find(network => generationOf(network.Labels) === spec.generation);
    const older = present.filter(network => generationOf(network.Labels) < spec.generation);
    if (nodes.length > 0) {
      const used = own ?? older[0];
      if (used) return this.result(ctx, spec.id, used);
    }
    for (const network of older) await networks.remove(ctx, network.Id);
    return this.result(ctx, spec.id, await networks.ensure(ctx, spec));
  }

  /** Nothing of a cluster's description lives on the network but its subnet, which is changed while it has no nodes. */
  async update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const [network] = await this.parts.networks.ofCluster(ctx, spec.id);
    if (!network) throw new DriverError('notFound', `cluster ${spec.id} is not on this engine`);
    const [subnet, wanted] = [network.IPAM.Config?.[0]?.Subnet, spec.network.cidr];
    if (wanted === undefined || subnet === undefined || sameSubnet(subnet, wanted))
      return this.result(ctx, spec.id, network);
    const [node] = await this.parts.inventory.nodes(ctx, { clusterId: spec.id });
    if (node) throw new DriverError('unsupported', `the network stays ${subnet}: nodes cannot change theirs`);
    return this.create(ctx, spec);
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const { networks, claim, nodeVolumes, runDirectory } = this.parts;
    const present = await networks.ofCluster(ctx, ref.id);
    const [node] = await this.parts.inventory.nodes(ctx, { clusterId: ref.id });
    if (node) throw new DriverError('transient', `cluster ${ref.id} still has node ${node.nodeId}`);
    const doomed = present.filter(network => generationOf(network.Labels) <= ref.generation);
    for (const network of doomed) await networks.remove(ctx, network.Id);
    if (doomed.length < present.length) return; // a newer one lives on, and what follows is its own
    for (const volume of await claim.volumes(ctx, ref.id)) await claim.removeVolume(ctx, volume.Name);
    await nodeVolumes.removeLeftOf(ctx, ref.id);
    await runDirectory.removeCluster(ctx, ref.id);
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined> {
    const network = await this.find(ctx, ref);
    return network && this.result(ctx, ref.id, network);
  }

  /** Where a manager's engine answers, and what an engine needs to join; without tokens while no manager answers. */
  async credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>> {
    if (!(await this.find(ctx, ref))) throw new DriverError('notFound', `cluster ${ref.id} is not on this engine`);
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

function refuseSuperseded(spec: ClusterSpec, present: readonly NetworkSummary[]): void {
  const newest = present[0] ? generationOf(present[0].Labels) : 0;
  if (newest > spec.generation)
    throw new DriverError('conflict', `cluster ${spec.id} is at generation ${newest} already`);
}
