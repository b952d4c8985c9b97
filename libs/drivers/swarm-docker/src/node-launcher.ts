import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import {
  chooseAddress,
  type DockerEngine,
  EngineError,
  type NetworkSummary,
  nodeLabels,
  pollUntil,
  undefinedOn,
  unitName,
} from '@stave/docker';
import { engineOf, type Inventory, type NodeContainer } from './inventory.js';
import { nodeContainerRequest } from './template-definition.js';
import { pluginsOf, type Plugin } from './plugins.js';
import type { RunDirectory } from './run-directory.js';
import { driverName } from './settings.js';

const startWithinMs = 60_000;
const triesForAddress = 8;

interface LaunchInput {
  readonly spec: NodeSpec;
  readonly image: string;
  readonly network: NetworkSummary;
  /** The existing container with the node's id and generation. */
  readonly own: NodeContainer | undefined;
}

/** Creates the container of a node and waits for its engine. Independent of Swarm. */
export class NodeLauncher {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
    private readonly runDirectory: RunDirectory,
    private readonly installation: string,
    private readonly plugins: readonly Plugin[] = [],
  ) {}

  /** Creates or adopts a container, and starts it. Chooses another address when another node has taken the address first. */
  async launch(ctx: DriverContext, input: LaunchInput): Promise<NodeContainer> {
    let own = input.own;
    for (let attempt = 0; attempt < triesForAddress; attempt += 1) {
      own ??= await this.make(ctx, input, attempt);
      try {
        await this.start(ctx, own);
        return own;
      } catch (error) {
        if (!(error instanceof EngineError) || !/address already in use/i.test(error.message)) throw error;
        await this.remove(ctx, own.containerId);
        own = undefined;
      }
    }
    const reason = `other nodes took each of ${triesForAddress} addresses first`;
    throw new DriverError('transient', `node ${input.spec.id} could not be started, because ${reason}`);
  }

  /** Starts an existing container, and waits until its engine answers. */
  async start(ctx: DriverContext, node: NodeContainer): Promise<void> {
    ctx.progress('start engine');
    await this.runDirectory.make(ctx, node.socket);
    await this.host.start(ctx, node.containerId);
    await this.engineReady(ctx, node);
  }

  /** Restarts the container of a node, whose processes have `graceSeconds` to end, and waits until its engine answers. */
  async restart(ctx: DriverContext, node: NodeContainer, graceSeconds: number): Promise<void> {
    ctx.progress('restart node');
    await this.host.halt(ctx, 'restart', node.containerId, graceSeconds);
    await this.engineReady(ctx, node);
  }

  /** Removes a container and its anonymous volume by its engine id; succeeds when it does not exist. */
  async remove(ctx: DriverContext, containerId: string): Promise<void> {
    await this.host.removeContainer(ctx, containerId);
    await pollUntil(ctx, { what: 'removal of a node container', withinMs: 30_000 }, async () =>
      (await this.host.container(ctx, containerId)) ? undefined : true,
    );
  }

  /** Waits until the node's engine answers. Otherwise throws an error with the end of the engine's log. */
  private async engineReady(ctx: DriverContext, node: NodeContainer): Promise<void> {
    const engine = engineOf(node);
    const what = `start of the engine of node ${node.nodeId}`;
    const requirePossible = (): Promise<void> => this.inventory.requireRunning(ctx, node);
    try {
      const options = { what, withinMs: startWithinMs, everyMs: 50, requirePossible };
      await pollUntil(ctx, options, () => engine.info(ctx, 5_000));
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      const log = await undefinedOn([404, 409], this.host.logs(ctx, node.containerId, 3));
      const end = log === undefined ? 'its container does not exist' : log.trim().slice(-400);
      throw new DriverError(error.failure, `${error.message}; ${end}`, { cause: error });
    }
  }

  private async make(ctx: DriverContext, input: LaunchInput, attempt: number): Promise<NodeContainer> {
    ctx.progress('create node container');
    const { spec, network } = input;
    const name = unitName(this.installation, spec.id, spec.generation);
    const socket = this.runDirectory.socketOf(spec.cluster.id, spec.id, spec.generation);
    const subnet = network.IPAM.Config?.[0]?.Subnet ?? '';
    const taken = await this.inventory.nodes(ctx, { clusterId: spec.cluster.id });
    const address = chooseAddress(subnet, `${spec.id}#${attempt}`, new Set(taken.map(node => node.address)));
    const body = nodeContainerRequest(spec, {
      image: input.image,
      networkId: network.Id,
      address,
      socket,
      labels: nodeLabels(this.installation, driverName, spec),
      plugins: pluginsOf(spec, this.plugins),
    });
    await this.runDirectory.make(ctx, socket);
    // 409: an earlier attempt created the container
    await undefinedOn([409], this.host.change(ctx, 'POST', '/containers/create', { query: { name }, body }));
    const made = (await this.inventory.nodes(ctx, { nodeId: spec.id })).find(n => n.generation === spec.generation);
    if (!made) throw new DriverError('transient', `node ${spec.id} was removed during its creation`);
    return made;
  }
}
