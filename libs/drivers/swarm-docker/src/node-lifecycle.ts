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
import { type ClusterNetworks, requireNotSuperseded, undefinedOnFailure } from '@stave/docker';
import { memberLabels } from './member-labels.js';
import { engineOf, type Inventory, type NodeContainer } from './inventory.js';
import type { NodeMaker } from './node-maker.js';
import type { NodeRemoval } from './node-removal.js';
import type { SwarmMembership } from './swarm-membership.js';

type UnitRef = Pick<ResourceRef, 'id' | 'generation'>;

/** MiB reserved on every node for its engine, so that the kernel does not kill the engine when memory is short. */
const engineReserveMb = 100;

/** Operations on nodes: containers with an engine of their own that are members of their cluster's Swarm. */
export class SwarmNodes implements NodeLifecycle {
  constructor(
    private readonly inventory: Inventory,
    private readonly networks: ClusterNetworks,
    private readonly maker: NodeMaker,
    private readonly membership: SwarmMembership,
    private readonly removal: NodeRemoval,
  ) {}

  async create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const { inventory, networks, maker, membership, removal } = this;
    const [units, [network], image] = await Promise.all([
      inventory.nodes(ctx, { nodeId: spec.id }),
      networks.ofCluster(ctx, spec.cluster.id),
      maker.prepare(ctx, spec),
    ]);
    requireNotSuperseded(`node ${spec.id}`, spec.generation, units[0]?.generation);
    if (!network)
      throw new DriverError('notFound', `the network of cluster ${spec.cluster.id} does not exist on this engine`);
    for (const old of units.filter(unit => unit.generation < spec.generation)) await removal.remove(ctx, old);
    await removal.removeTraces(ctx, { id: spec.id, clusterId: spec.cluster.id, generation: spec.generation - 1 });
    const own = units.find(unit => unit.generation === spec.generation);
    const node = await maker.make(ctx, { spec, image, network, own });
    await membership.ensure(ctx, spec, node);
    return nodeResult(ctx, node);
  }

  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    return this.create(ctx, spec);
  }

  async update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const node = await this.existing(ctx, spec);
    await this.membership.change(ctx, node, { Labels: memberLabels(spec) });
    return nodeResult(ctx, node);
  }

  async softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.maker.restart(ctx, await this.existing(ctx, ref), 10);
  }

  async hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.maker.restart(ctx, await this.existing(ctx, ref), 0);
  }

  async drain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.membership.change(ctx, await this.existing(ctx, ref), { Availability: 'drain' });
  }

  async undrain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.membership.change(ctx, await this.existing(ctx, ref), { Availability: 'active' });
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const units = await this.inventory.nodes(ctx, { nodeId: ref.id });
    for (const unit of units.filter(one => one.generation <= ref.generation)) await this.removal.remove(ctx, unit);
    await this.removal.removeTraces(ctx, ref);
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined> {
    const node = await this.find(ctx, ref);
    return node && nodeResult(ctx, node);
  }

  expectedCapacity(_ctx: DriverContext, { flavor }: ExpectedNode): Promise<NodeCapacity> {
    return Promise.resolve(capacityOf(flavor));
  }

  private async existing(ctx: DriverContext, ref: UnitRef): Promise<NodeContainer> {
    const node = await this.find(ctx, ref);
    if (!node) throw new DriverError('notFound', `node ${ref.id} does not exist on this engine`);
    return node;
  }

  private async find(ctx: DriverContext, ref: UnitRef): Promise<NodeContainer | undefined> {
    const units = await this.inventory.nodes(ctx, { nodeId: ref.id });
    return units.find(unit => unit.generation <= ref.generation);
  }
}

/** Returns the state of a node. Its capacity follows from the flavor, because an engine in a container reports the host's cores. */
async function nodeResult(ctx: DriverContext, node: NodeContainer): Promise<NodeResult> {
  const info = await undefinedOnFailure(ctx, async () => engineOf(node).info(ctx, 5_000));
  return {
    infrastructureId: node.containerId,
    addresses: [node.address],
    engineVersion: info?.ServerVersion,
    capacity: capacityOfNode(node),
  };
}

const capacityOf = ({ cpus, memoryMb }: NodeCapacity): NodeCapacity => ({
  cpus,
  memoryMb: Math.max(0, memoryMb - engineReserveMb),
});

/** A node on a machine is as large as the machine. */
const capacityOfNode = (node: NodeContainer): NodeCapacity =>
  node.machine ? { cpus: node.cpus, memoryMb: node.memoryMb } : capacityOf(node);
