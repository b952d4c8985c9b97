import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import type { NetworkSummary } from '@stave/docker';
import type { NodeImages } from './image.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { MachineNodes } from './machines/machine-nodes.js';
import type { NodeLauncher } from './node-launcher.js';

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
    await this.requireOneKind(ctx, spec);
    if (!spec.machine) return this.images.ensure(ctx, spec.image);
    this.machines.requirePossible(spec);
    return undefined;
  }

  async make(ctx: DriverContext, { image, ...input }: NodeInput): Promise<NodeContainer> {
    const { spec } = input;
    if (spec.machine) return this.machines.take(ctx, spec, spec.machine);
    return this.launcher.launch(ctx, { ...input, image: image ?? '' });
  }

  /** Restarts a node, whose processes have `graceSeconds` to end. Throws `unsupported` for one on a machine. */
  async restart(ctx: DriverContext, node: NodeContainer, graceSeconds: number): Promise<void> {
    if (node.machine) throw new DriverError('unsupported', 'a machine cannot be restarted by its engine');
    await this.launcher.restart(ctx, node, graceSeconds);
  }

  /** Nodes in containers have a network on this machine only, which other machines do not reach. */
  private async requireOneKind(ctx: DriverContext, { id, cluster, machine }: NodeSpec): Promise<void> {
    const nodes = await this.inventory.nodes(ctx, { clusterId: cluster.id });
    if (nodes.every(node => node.nodeId === id || (node.machine === undefined) === (machine === undefined))) return;
    const message =
      'all nodes of a cluster are made of machines, or none: give each node group a machineSelector, or none of them';
    throw new DriverError('permanent', message, { code: 'machines-mixed' });
  }
}
