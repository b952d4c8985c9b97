import { issueCertificate, kubeconfig } from '@stave/bootstrap';
import { generationOf, provideNetwork, updateNetwork, type ClusterNetworks, type NetworkSummary } from '@stave/docker';
import {
  DriverError,
  type ClusterLifecycle,
  type ClusterResult,
  type ClusterSpec,
  type DriverContext,
  type ResourceRef,
} from '@stave/driver-sdk';
import { memberUser } from '@stave/kubernetes';
import type { ControlPlaneClaim } from './control-plane-claim.js';
import type { ControlPlanes } from './control-planes.js';
import type { Inventory } from './inventory.js';
import { apiPort } from './manifests.js';
import type { NodeRemoval } from './node-removal.js';

const kubeconfigDays = 7;
/** Clocks of clients may be behind. */
const clockSkewMs = 300_000;

/** Operations on clusters. The shared part of a cluster is its network; its first manager node makes the cluster of Kubernetes. */
export class KubernetesClusters implements ClusterLifecycle {
  constructor(
    private readonly networks: ClusterNetworks,
    private readonly inventory: Inventory,
    private readonly claim: ControlPlaneClaim,
    private readonly controlPlanes: ControlPlanes,
    private readonly removal: NodeRemoval,
    private readonly tenantAdmin: boolean,
  ) {}

  async create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const { networks, inventory } = this;
    return this.result(ctx, spec.id, await provideNetwork(ctx, spec, { networks, inventory }));
  }

  /** Changes the subnet, which is possible only while the cluster has no nodes. */
  async update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
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

  /**
   * Returns a kubeconfig, valid for seven days, of an identity with the rights of members, or with all rights where the operator says so; an empty
   * object while no control plane answers.
   */
  async credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>> {
    if (!(await this.find(ctx, ref)))
      throw new DriverError('notFound', `cluster ${ref.id} does not exist on this engine`);
    const controlPlane = await this.controlPlanes.find(ctx, ref.id);
    if (!controlPlane) return {};
    const { cluster: authority } = await this.controlPlanes.authorities(ctx, controlPlane);
    const organizations = this.tenantAdmin ? ['system:masters'] : memberUser.groups;
    const user = this.tenantAdmin ? 'stave-admin' : memberUser.name;
    const validity = { from: new Date(Date.now() - clockSkewMs), days: kubeconfigDays };
    const issued = await issueCertificate(authority, { commonName: user, organizations }, ['client'], validity);
    const server = `https://${controlPlane.container.publicAddress}:${apiPort}`;
    const access = { cluster: ref.id, server, user, authority: authority.certificate, ...issued };
    return { endpoint: server, kubeconfig: kubeconfig(access) };
  }

  private async requireNoNodes(ctx: DriverContext, clusterId: string): Promise<void> {
    const [node] = await this.inventory.nodes(ctx, { clusterId });
    if (node) throw new DriverError('transient', `cluster ${clusterId} still has node ${node.nodeId}`);
  }

  private async removeOthers(ctx: DriverContext, clusterId: string): Promise<void> {
    await this.claim.removeAll(ctx, clusterId);
    await this.removal.removeUnusedVolumes(ctx, { clusterId });
  }

  private async find(ctx: DriverContext, ref: ResourceRef): Promise<NetworkSummary | undefined> {
    const networks = await this.networks.ofCluster(ctx, ref.id);
    return networks.find(network => generationOf(network.Labels) <= ref.generation);
  }

  private async result(ctx: DriverContext, clusterId: string, network: NetworkSummary): Promise<ClusterResult> {
    const managers = await this.inventory.nodes(ctx, { clusterId, role: 'manager' });
    const endpoints = managers.map(node => ({ name: node.nodeId, url: `https://${node.publicAddress}:${apiPort}` }));
    return { infrastructureId: network.Id, endpoints };
  }
}
