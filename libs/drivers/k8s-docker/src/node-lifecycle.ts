import {
  DriverError,
  type DriverContext,
  type ExpectedNode,
  type NodeCapacity,
  type NodeLifecycle,
  type NodeResult,
  type NodeSpec,
  type ResourceRef,
} from '@stave/driver-sdk';
import { requireNotSuperseded, requireOneKind, type ClusterNetworks } from '@stave/docker';
import { describeMember, setSchedulable } from './cluster-member.js';
import type { ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { ClusterPeers } from './machines/cluster-peers.js';
import type { NodeImages } from './node-images.js';
import type { NodeLauncher } from './node-launcher.js';
import type { NodeMembership } from './node-membership.js';
import type { NodeRemoval } from './node-removal.js';
import { requireVersion } from './version-rules.js';

type UnitRef = Pick<ResourceRef, 'id' | 'generation'>;

/** MiB of every node for what Kubernetes itself runs there. */
const reserveMb = 512;
/** A control plane with less does not start in a useful time. */
const controlPlaneMb = 1_536;

interface NodeParts {
  readonly inventory: Inventory;
  readonly networks: ClusterNetworks;
  readonly images: NodeImages;
  readonly launcher: NodeLauncher;
  readonly membership: NodeMembership;
  readonly controlPlanes: ControlPlanes;
  readonly removal: NodeRemoval;
  readonly peers: ClusterPeers;
}

/** Operations on nodes: containers with systemd, containerd and a kubelet that are members of their cluster. */
export class KubernetesNodes implements NodeLifecycle {
  constructor(private readonly parts: NodeParts) {}

  async create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    requireMemory(spec);
    const { inventory, networks, images, launcher, removal, controlPlanes } = this.parts;
    const [members, [network], image] = await Promise.all([
      inventory.nodes(ctx, { clusterId: spec.cluster.id }),
      networks.ofCluster(ctx, spec.cluster.id),
      images.find(ctx, spec.image),
    ]);
    const units = members.filter(({ nodeId }) => nodeId === spec.id);
    requireNotSuperseded(`node ${spec.id}`, spec.generation, units[0]?.generation);
    if (!network)
      throw new DriverError('notFound', `the network of cluster ${spec.cluster.id} does not exist on this engine`);
    requireOneKind(spec, members);
    requireVersion(spec, image.version, await controlPlanes.withoutWaiting(ctx, members));
    for (const old of units.filter(unit => unit.generation < spec.generation)) await removal.remove(ctx, old);
    await removal.removeUnusedVolumes(ctx, { nodeId: spec.id }, spec.generation - 1);
    const own = units.find(unit => unit.generation === spec.generation);
    const node = await launcher.make(ctx, { spec, image, network, own });
    return this.complete(ctx, spec, node);
  }

  /** Takes the steps that the node lacks. It boots before there is a control plane, which gives it its membership. */
  private async complete(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<NodeResult> {
    const { launcher, membership, controlPlanes, peers } = this.parts;
    await launcher.boot(ctx, spec, node);
    const isConfigured = await controlPlanes.isConfigured(ctx, node);
    const obtained = isConfigured ? undefined : await membership.obtain(ctx, spec, node);
    // the others have to know it before it can join them, and all of them that a control plane is ready
    if (node.machine) await peers.spread(ctx, node.clusterId);
    if (obtained) await launcher.configure(ctx, spec, node, obtained);
    await launcher.ready(ctx, node);
    if (node.machine) await peers.spread(ctx, node.clusterId);
    ctx.progress('label node');
    const controlPlane = await controlPlanes.require(ctx, node.clusterId);
    await describeMember(ctx, controlPlane.api, node.member, spec);
    await membership.forget(ctx, spec, controlPlane);
    return nodeResult(node);
  }

  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    return this.create(ctx, spec);
  }

  async update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const node = await this.existing(ctx, spec);
    const { api } = await this.parts.controlPlanes.require(ctx, node.clusterId);
    await describeMember(ctx, api, node.member, spec);
    return nodeResult(node);
  }

  async softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.parts.launcher.restart(ctx, await this.existing(ctx, ref), 20);
  }

  async hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.parts.launcher.restart(ctx, await this.existing(ctx, ref), 0);
  }

  drain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    return this.setSchedulable(ctx, ref, false);
  }

  undrain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    return this.setSchedulable(ctx, ref, true);
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const units = await this.parts.inventory.nodes(ctx, { nodeId: ref.id });
    for (const unit of units.filter(one => one.generation <= ref.generation))
      await this.parts.removal.remove(ctx, unit);
    await this.parts.removal.removeUnusedVolumes(ctx, { nodeId: ref.id }, ref.generation);
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined> {
    const node = await this.find(ctx, ref);
    return node && nodeResult(node);
  }

  expectedCapacity(_ctx: DriverContext, { flavor }: ExpectedNode): Promise<NodeCapacity> {
    return Promise.resolve(capacityOf(flavor));
  }

  private async setSchedulable(ctx: DriverContext, ref: UnitRef, to: boolean): Promise<void> {
    const node = await this.existing(ctx, ref);
    const { api } = await this.parts.controlPlanes.require(ctx, node.clusterId);
    await setSchedulable(ctx, api, node.member, to);
  }

  private async existing(ctx: DriverContext, ref: UnitRef): Promise<NodeContainer> {
    const node = await this.find(ctx, ref);
    if (!node) throw new DriverError('notFound', `node ${ref.id} does not exist on this engine`);
    return node;
  }

  private async find(ctx: DriverContext, ref: UnitRef): Promise<NodeContainer | undefined> {
    const units = await this.parts.inventory.nodes(ctx, { nodeId: ref.id });
    return units.find(unit => unit.generation <= ref.generation);
  }
}

function requireMemory({ role, flavor }: NodeSpec): void {
  if (role !== 'manager' || flavor.memoryMb >= controlPlaneMb) return;
  const message = `a control plane needs ${controlPlaneMb} MB of memory, and ${flavor.memoryMb} are given`;
  throw new DriverError('permanent', message, { code: 'below-minimum-flavor' });
}

const nodeResult = (node: NodeContainer): NodeResult => ({
  infrastructureId: node.containerId,
  addresses: [...new Set([node.publicAddress, node.address])],
  engineVersion: node.version,
  capacity: capacityOf(node),
});

/** Follows from the flavor, because programs in a container see the cores of the machine. */
const capacityOf = ({ cpus, memoryMb }: NodeCapacity): NodeCapacity => ({
  cpus,
  memoryMb: Math.max(0, memoryMb - reserveMb),
});
