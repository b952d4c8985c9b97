import {
  DriverError,
  type DriverContext,
  type NodeLifecycle,
  type NodeResult,
  type NodeSpec,
  type ResourceRef,
} from '@stave/driver-sdk';
import { EngineClient } from './engine-client.js';
import { EngineError, undefinedOn } from './engine-error.js';
import type { EngineInfo } from './engine-types.js';
import type { NodeImages } from './image.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { ClusterNetworks } from './network.js';
import type { NodeLauncher } from './node-launcher.js';
import type { NodeRemoval } from './node-removal.js';
import { nodeResult } from './node-result.js';
import type { SwarmMembership } from './swarm-membership.js';

interface NodeParts {
  readonly host: EngineClient;
  readonly inventory: Inventory;
  readonly networks: ClusterNetworks;
  readonly images: NodeImages;
  readonly launcher: NodeLauncher;
  readonly membership: SwarmMembership;
  readonly removal: NodeRemoval;
}

/** Operations on nodes: containers with an engine of their own that are members of their cluster's Swarm. */
export class SwarmNodes implements NodeLifecycle {
  constructor(private readonly parts: NodeParts) {}

  async create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const { inventory, networks, images, launcher, membership, removal } = this.parts;
    const [units, [network], image] = await Promise.all([
      inventory.nodes(ctx, { nodeId: spec.id }),
      networks.ofCluster(ctx, spec.cluster.id),
      images.ensure(ctx, spec.image),
    ]);
    requireNotSuperseded(spec, units);
    if (!network)
      throw new DriverError('notFound', `the network of cluster ${spec.cluster.id} does not exist on this engine`);
    for (const old of units.filter(unit => unit.generation < spec.generation)) await removal.remove(ctx, old);
    await removal.removeTraces(ctx, { id: spec.id, clusterId: spec.cluster.id, generation: spec.generation - 1 });
    const own = units.find(unit => unit.generation === spec.generation);
    const node = await launcher.launch(ctx, { spec, image, network, own });
    await membership.ensure(ctx, spec, node);
    return nodeResult(node, await this.version(ctx, node));
  }

  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    return this.create(ctx, spec);
  }

  async update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const node = await this.existing(ctx, { id: spec.id, generation: spec.generation });
    await this.parts.membership.relabel(ctx, spec, node);
    return nodeResult(node, await this.version(ctx, node));
  }

  async softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.reboot(ctx, ref, 10);
  }

  async hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.reboot(ctx, ref, 0);
  }

  async drain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.parts.membership.setAvailability(ctx, await this.existing(ctx, ref), 'drain');
  }

  async undrain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await this.parts.membership.setAvailability(ctx, await this.existing(ctx, ref), 'active');
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const units = await this.parts.inventory.nodes(ctx, { nodeId: ref.id });
    for (const unit of units.filter(one => one.generation <= ref.generation))
      await this.parts.removal.remove(ctx, unit);
    await this.parts.removal.removeTraces(ctx, ref);
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined> {
    const node = await this.find(ctx, ref);
    return node && nodeResult(node, await this.version(ctx, node));
  }

  private async reboot(ctx: DriverContext, ref: ResourceRef, graceSeconds: number): Promise<void> {
    const node = await this.existing(ctx, ref);
    ctx.progress('restart node');
    const path = `/containers/${node.containerId}/restart`;
    await this.parts.host.change(ctx, 'POST', path, {
      query: { t: graceSeconds },
      timeoutMs: (graceSeconds + 20) * 1000,
    });
    await this.parts.launcher.engineReady(ctx, node);
  }

  private async existing(ctx: DriverContext, ref: Pick<ResourceRef, 'id' | 'generation'>): Promise<NodeContainer> {
    const node = await this.find(ctx, ref);
    if (!node) throw new DriverError('notFound', `node ${ref.id} does not exist on this engine`);
    return node;
  }

  private async find(
    ctx: DriverContext,
    ref: Pick<ResourceRef, 'id' | 'generation'>,
  ): Promise<NodeContainer | undefined> {
    const units = await this.parts.inventory.nodes(ctx, { nodeId: ref.id });
    return units.find(unit => unit.generation <= ref.generation);
  }

  /** Returns the version of the node's engine; undefined when it does not answer. */
  private async version(ctx: DriverContext, node: NodeContainer): Promise<string | undefined> {
    if (node.socket === '') return undefined;
    try {
      const engine = new EngineClient(node.socket);
      return (await undefinedOn([404], engine.read<EngineInfo>(ctx, '/info', { timeoutMs: 5_000 })))?.ServerVersion;
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof EngineError)) throw error;
      return undefined;
    }
  }
}

function requireNotSuperseded(spec: NodeSpec, units: readonly NodeContainer[]): void {
  const newer = units.find(unit => unit.generation > spec.generation);
  if (newer) throw new DriverError('conflict', `node ${spec.id} has the higher generation ${newer.generation}`);
}
