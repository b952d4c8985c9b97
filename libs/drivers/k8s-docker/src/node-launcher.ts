import { bootstrapNode } from '@stave/bootstrap';
import {
  chooseAddress,
  EngineError,
  nodeLabels,
  pollUntil,
  undefinedOn,
  unitName,
  type DockerEngine,
  type NetworkSummary,
} from '@stave/docker';
import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import type { ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { ClusterPeers } from './machines/cluster-peers.js';
import type { MachineNodeMaker } from './machines/machine-node-maker.js';
import { bootConfiguration, configuredMark } from './node-boot.js';
import { descriptionOf, type Membership } from './node-description.js';
import type { NodeImage } from './node-images.js';
import { driverName } from './settings.js';
import { nodeContainerRequest } from './template-definition.js';

const readyWithinMs = 600_000;
const everyMs = 500;

export interface LaunchInput {
  readonly spec: NodeSpec;
  readonly image: NodeImage;
  readonly network: NetworkSummary;
  /** The existing container with the node's id and generation. */
  readonly own: NodeContainer | undefined;
}

/** Creates the containers of nodes, lets them boot, gives them their configuration, and waits until they are members. */
export class NodeLauncher {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
    private readonly controlPlanes: ControlPlanes,
    private readonly machines: MachineNodeMaker,
    private readonly peers: ClusterPeers,
    private readonly installation: string,
  ) {}

  /** Creates the container of a node, on its machine where it has one, or adopts it; it does not run yet. */
  async make(ctx: DriverContext, input: LaunchInput): Promise<NodeContainer> {
    const { spec, image, network, own } = input;
    if (spec.machine) return this.machines.make(ctx, input, spec.machine);
    if (own) return own;
    ctx.progress('create node container');
    const name = unitName(this.installation, spec.id, spec.generation);
    const subnet = network.IPAM.Config?.[0]?.Subnet ?? '';
    const taken = await this.inventory.nodes(ctx, { clusterId: spec.cluster.id });
    const address = chooseAddress(subnet, spec.id, new Set(taken.map(node => node.address)));
    const labels = nodeLabels(this.installation, driverName, spec);
    const body = nodeContainerRequest(spec, { ...image, networkId: network.Id, address, labels });
    // 409: an earlier attempt created the container
    await undefinedOn([409], this.host.change(ctx, 'POST', '/containers/create', { query: { name }, body }));
    const made = (await this.inventory.nodes(ctx, { nodeId: spec.id })).find(n => n.generation === spec.generation);
    if (!made) throw new DriverError('transient', `node ${spec.id} was removed during its creation`);
    return made;
  }

  /** Lets the container of a node run. It needs nothing of its cluster yet: a node that never ran boots, and waits for its configuration. */
  async boot(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<void> {
    if (node.state === 'running') return;
    ctx.progress('start node');
    if (node.state !== 'created') return node.engine.start(ctx, node.containerId);
    const machine = this.controlPlanes.machineOf(node);
    await machine.configure(
      ctx,
      node.machine ? await this.peers.withOverlay(ctx, node, bootConfiguration) : bootConfiguration,
    );
    try {
      await node.engine.start(ctx, node.containerId);
    } catch (error) {
      if (node.machine || !(error instanceof EngineError) || !/address already in use/i.test(error.message))
        throw error;
      await this.remove(ctx, node);
      const reason = 'another node took its address first';
      throw new DriverError('transient', `node ${spec.id} could not be started, because ${reason}`, { cause: error });
    }
  }

  /** Gives a node that runs its configuration, with the secrets to become a member. It takes effect when all of it is there. */
  async configure(ctx: DriverContext, spec: NodeSpec, node: NodeContainer, membership: Membership): Promise<void> {
    ctx.progress('configure node');
    const machine = this.controlPlanes.machineOf(node);
    await machine.configure(ctx, bootstrapNode(descriptionOf(spec, node, membership)));
    await machine.configure(ctx, configuredMark);
  }

  /** Waits until the node is a ready member of its cluster. */
  async ready(ctx: DriverContext, node: NodeContainer): Promise<void> {
    ctx.progress('wait until the node is ready');
    const what = `bootstrapping of node ${node.nodeId}`;
    const outcome = await pollUntil(ctx, { what, withinMs: readyWithinMs, everyMs }, async () => {
      const found = await node.engine.container(ctx, node.containerId);
      if (!found?.State.Running)
        throw new DriverError('transient', `the container of node ${node.nodeId} is not running`);
      return this.controlPlanes.outcomeOf(ctx, node);
    });
    if (outcome === 'ready') return;
    const message = `node ${node.nodeId} reported: ${outcome}`;
    throw new DriverError('transient', message, { code: 'node-reported-failure' });
  }

  /** Restarts the container of a node, whose processes have `graceSeconds` to end. */
  async restart(ctx: DriverContext, node: NodeContainer, graceSeconds: number): Promise<void> {
    ctx.progress('restart node');
    await node.engine.halt(ctx, 'restart', node.containerId, graceSeconds);
  }

  /** Removes a container and its anonymous volume; succeeds when it does not exist. */
  async remove(ctx: DriverContext, { engine, containerId }: NodeContainer): Promise<void> {
    await engine.removeContainer(ctx, containerId);
    await pollUntil(ctx, { what: 'removal of a node container', withinMs: 60_000 }, async () =>
      (await engine.container(ctx, containerId)) ? undefined : true,
    );
  }
}
