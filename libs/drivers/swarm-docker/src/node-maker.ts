import { DriverError, type DriverContext, type Machine, type NodeSpec } from '@stave/driver-sdk';
import { labelled, requireOneKind, type MachineNodes, type NetworkSummary } from '@stave/docker';
import type { NodeImages } from './image.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { NodeLauncher } from './node-launcher.js';
import { defaultNodeImage } from './settings.js';

const optionsOfContainers = ['insecureRegistries', 'registryMirrors'];

interface NodeInput {
  readonly spec: NodeSpec;
  readonly image: string | undefined;
  readonly network: NetworkSummary;
  /** The existing container with the node's id and generation. */
  readonly own: NodeContainer | undefined;
}

/** Makes nodes of containers, or of machines that exist. */
export class NodeMaker {
  constructor(
    private readonly inventory: Inventory,
    private readonly images: NodeImages,
    private readonly launcher: NodeLauncher,
    private readonly machines: MachineNodes,
  ) {}

  /**
   * Returns the image of the node; none on a machine. Throws, before anything is changed, `machines-mixed` for a node that the other nodes
   * of its cluster would not reach, and `unsupported` for what a machine cannot have.
   */
  async prepare(ctx: DriverContext, spec: NodeSpec): Promise<string | undefined> {
    requireOneKind(spec, await this.inventory.nodes(ctx, { clusterId: spec.cluster.id }));
    if (!spec.machine) return this.images.ensure(ctx, spec.image);
    requirePossible(spec);
    return undefined;
  }

  async make(ctx: DriverContext, { image, ...input }: NodeInput): Promise<NodeContainer> {
    const { spec } = input;
    if (spec.machine) return this.take(ctx, spec, spec.machine);
    return this.launcher.launch(ctx, { ...input, image: image ?? '' });
  }

  /** Restarts a node, whose processes have `graceSeconds` to end. Throws `unsupported` for one on a machine. */
  async restart(ctx: DriverContext, node: NodeContainer, graceSeconds: number): Promise<void> {
    if (node.machine) throw new DriverError('unsupported', 'a machine cannot be restarted by its engine');
    await this.launcher.restart(ctx, node, graceSeconds);
  }

  /** Takes the machine for the node: records it first, then marks its engine. */
  private async take(ctx: DriverContext, spec: NodeSpec, machine: Machine): Promise<NodeContainer> {
    const examined = await this.machines.examine(ctx, machine);
    await this.machines.record(ctx, spec, examined, labelled({ address: examined.address }));
    const nodes = await this.inventory.nodes(ctx, { nodeId: spec.id });
    const node = nodes.find(one => one.generation === spec.generation && one.machine);
    if (!node) throw new DriverError('transient', `node ${spec.id} was removed during its creation`);
    await this.machines.mark(ctx, spec, examined);
    return node;
  }
}

function requirePossible({ image, options, cluster }: NodeSpec): void {
  const given = { ...cluster.options, ...options };
  const impossible = [
    ...(image === undefined || image === defaultNodeImage ? [] : ['an image']),
    ...optionsOfContainers.filter(name => Array.isArray(given[name]) && given[name].length > 0),
  ];
  if (impossible.length === 0) return;
  const message = `a node on a machine cannot have ${impossible.join(', ')}: its engine is configured on the machine`;
  throw new DriverError('unsupported', message);
}
