import {
  addressIn,
  chooseAddress,
  copyImage,
  findImage,
  label,
  nodeLabels,
  undefinedOn,
  unitName,
  type DockerEngine,
  type ExaminedMachine,
  type MachineEngines,
  type MachineNodes,
} from '@stave/docker';
import { DriverError, type DriverContext, type Labels, type Machine, type NodeSpec } from '@stave/driver-sdk';
import { ownLabel, type Inventory, type NodeContainer } from '../inventory.js';
import { memberName } from '../node-description.js';
import type { NodeImage } from '../node-images.js';
import type { LaunchInput } from '../node-launcher.js';
import { driverName } from '../settings.js';
import { machineContainerRequest } from '../template-definition.js';

/** An image of nodes has most of a gigabyte. */
const copyWithinMs = 600_000;

type Addressed = Pick<NodeContainer, 'nodeId' | 'address'>;

/**
 * Makes the containers of nodes on the engines of machines. The record of a node, on the engine of the conductors, says which machine and which
 * address in the network of the cluster it has.
 */
export class MachineNodeMaker {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
    private readonly engines: MachineEngines,
    private readonly machines: MachineNodes,
    private readonly installation: string,
  ) {}

  /** Takes the machine for the node and creates the container there, which does not run yet; what exists already stays. */
  async make(ctx: DriverContext, input: LaunchInput, machine: Machine): Promise<NodeContainer> {
    const { spec, image, network, own } = input;
    const subnet = network.IPAM.Config?.[0]?.Subnet ?? '';
    const examined = await this.machines.examine(ctx, machine);
    const recorded = await this.record(ctx, spec, examined, { subnet, version: image.version });
    // where the container exists, the address was found free before
    if (own === undefined || own.state === 'absent') await this.requireOwnAddress(ctx, spec, recorded);
    await this.machines.mark(ctx, spec, examined);
    const engine = this.engines.known(examined.machine);
    await this.provideImage(ctx, engine, image);
    ctx.progress('create node container');
    const labels = nodeLabels(this.installation, driverName, spec);
    const at = { ...image, subnet, labels, address: recorded[label.address] ?? '', size: examined.size };
    const query = { name: unitName(this.installation, spec.id, spec.generation) };
    const body = machineContainerRequest(spec, at);
    // 409: an earlier attempt created the container
    await undefinedOn([409], engine.change(ctx, 'POST', '/containers/create', { query, body }));
    const made = (await this.inventory.nodes(ctx, { nodeId: spec.id })).find(n => n.generation === spec.generation);
    if (!made) throw new DriverError('transient', `node ${spec.id} was removed during its creation`);
    return made;
  }

  private async record(
    ctx: DriverContext,
    spec: NodeSpec,
    examined: ExaminedMachine,
    { subnet, version }: { readonly subnet: string; readonly version: string },
  ): Promise<Labels> {
    const nodes = await this.inventory.nodes(ctx, { clusterId: spec.cluster.id });
    const own = {
      [label.address]: freeAddress(subnet, spec.id, nodes),
      [ownLabel.machineAddress]: examined.address,
      [ownLabel.member]: memberName(spec),
      [ownLabel.version]: version,
    };
    return this.machines.record(ctx, spec, examined, own);
  }

  /** Of two nodes that chose an address at the same time, each that sees the other in time chooses again. */
  private async requireOwnAddress(ctx: DriverContext, spec: NodeSpec, recorded: Labels): Promise<void> {
    const nodes = await this.inventory.nodes(ctx, { clusterId: spec.cluster.id });
    if (!sharesAddress(nodes, { nodeId: spec.id, address: recorded[label.address] ?? '' })) return;
    await this.machines.withdraw(ctx, spec);
    throw new DriverError('transient', `node ${spec.id} chose the address of another node, and has to choose again`);
  }

  private async provideImage(ctx: DriverContext, engine: DockerEngine, { image, imageId }: NodeImage): Promise<void> {
    if ((await findImage(ctx, engine, image))?.Id === imageId) return;
    await copyImage(ctx, image, { from: this.host, to: engine, timeoutMs: copyWithinMs });
  }
}

/** Chooses an address for a node, which no other one has. The first one of the network is that of the API. */
export function freeAddress(subnet: string, nodeId: string, nodes: readonly Addressed[]): string {
  const others = nodes.filter(node => node.nodeId !== nodeId).map(({ address }) => address);
  return chooseAddress(subnet, nodeId, new Set([...others, addressIn(subnet, 1)]));
}

/** Returns whether another node has the address of this one. */
export const sharesAddress = (nodes: readonly Addressed[], { nodeId, address }: Addressed): boolean =>
  nodes.some(other => other.nodeId !== nodeId && other.address === address);
