import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import { chooseAddress } from './address.js';
import { EngineClient } from './engine-client.js';
import { EngineError, hasStatus, undefinedOn } from './engine-error.js';
import type { ContainerDetails, EngineInfo, NetworkSummary } from './engine-types.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { nodeLabels, unitName } from './labels.js';
import { demultiplex } from './log-frames.js';
import { nodeContainerRequest } from './node-container.js';
import { nodePrivileges } from './privilege.js';
import type { RunDirectory } from './run-directory.js';
import { pollUntil } from './poll-until.js';

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
  private privileges: Promise<Readonly<Record<string, unknown>>> | undefined;

  constructor(
    private readonly host: EngineClient,
    private readonly inventory: Inventory,
    private readonly runDirectory: RunDirectory,
    private readonly installation: string,
  ) {}

  /** Creates or adopts a container, and starts it. Chooses another address when another node has taken it in between. */
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
    throw new DriverError(
      'transient',
      `node ${input.spec.id} got no address, because other nodes took ${triesForAddress} addresses in between`,
    );
  }

  /** Starts an existing container, and waits until its engine answers. */
  async start(ctx: DriverContext, node: NodeContainer): Promise<void> {
    ctx.progress('start engine');
    await this.runDirectory.make(ctx, node.socket);
    await undefinedOn([304], this.host.change(ctx, 'POST', `/containers/${node.containerId}/start`));
    await this.engineReady(ctx, node);
  }

  /** Waits until the node's engine answers. Otherwise throws an error with the end of the engine's log. */
  async engineReady(ctx: DriverContext, node: NodeContainer): Promise<EngineInfo> {
    const engine = new EngineClient(node.socket);
    const what = `start of the engine of node ${node.nodeId}`;
    try {
      const requirePossible = (): Promise<void> => this.inventory.requireRunning(ctx, node);
      const options = { what, withinMs: startWithinMs, everyMs: 50, requirePossible };
      return await pollUntil(ctx, options, () => engine.read<EngineInfo>(ctx, '/info', { timeoutMs: 5_000 }));
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      throw new DriverError(error.failure, `${error.message}; ${await this.lastLogLines(ctx, node)}`, { cause: error });
    }
  }

  /** Removes a container and its anonymous volume by its engine id; succeeds when it does not exist. */
  async remove(ctx: DriverContext, containerId: string): Promise<void> {
    const path = `/containers/${containerId}`;
    const query = { force: true, v: true };
    try {
      await undefinedOn([404], this.host.change(ctx, 'DELETE', path, { query, timeoutMs: 60_000 }));
    } catch (error) {
      if (!hasStatus(error, 409)) throw error; // another call is removing it
    }
    await pollUntil(ctx, { what: 'removal of a node container', withinMs: 30_000 }, async () => {
      const left = await undefinedOn([404], this.host.read<ContainerDetails>(ctx, `${path}/json`));
      return left === undefined ? true : undefined;
    });
  }

  private async make(ctx: DriverContext, input: LaunchInput, attempt: number): Promise<NodeContainer> {
    ctx.progress('create node container');
    const { spec, network } = input;
    const name = unitName(this.installation, spec.id, spec.generation);
    const socket = this.runDirectory.socketOf(spec.cluster.id, spec.id, spec.generation);
    const subnet = network.IPAM.Config?.[0]?.Subnet ?? '';
    const address = chooseAddress(subnet, `${spec.id}#${attempt}`, await this.takenAddresses(ctx, spec.cluster.id));
    this.privileges ??= nodePrivileges();
    const body = nodeContainerRequest(spec, {
      name,
      image: input.image,
      networkId: network.Id,
      address,
      socket,
      labels: nodeLabels(this.installation, spec),
      privileges: await this.privileges,
    });
    await this.runDirectory.make(ctx, socket);
    // 409: an earlier attempt created the container
    await undefinedOn([409], this.host.change(ctx, 'POST', '/containers/create', { query: { name }, body }));
    const made = (await this.inventory.nodes(ctx, { nodeId: spec.id })).find(n => n.generation === spec.generation);
    if (!made) throw new DriverError('transient', `node ${spec.id} was removed during its creation`);
    return made;
  }

  private async takenAddresses(ctx: DriverContext, clusterId: string): Promise<ReadonlySet<string>> {
    return new Set((await this.inventory.nodes(ctx, { clusterId })).map(node => node.address));
  }

  private async lastLogLines(ctx: DriverContext, node: NodeContainer): Promise<string> {
    const query = { stdout: true, stderr: true, tail: 3 };
    const log = await undefinedOn(
      [404, 409],
      this.host.readBytes(ctx, `/containers/${node.containerId}/logs`, { query }),
    );
    return log ? demultiplex(log).trim().slice(-400) : 'its container does not exist';
  }
}
