import {
  DriverError,
  type ContainerRestrictions,
  type DriverContext,
  type NetworkLifecycle,
  type NetworkRef,
  type NetworkSpec,
} from '@stave/driver-sdk';
import {
  type DockerEngine,
  generationOf,
  hasStatus,
  KeyedLock,
  label,
  labelled,
  type NetworkSummary,
  pollUntil,
  requireNotSuperseded,
  shortId,
  undefinedOn,
  withLabels,
} from '@stave/docker';
import { isInUse, namedPlugin, requireAllowed, texts } from './attachment-rules.js';
import { engineOf, type Inventory } from './inventory.js';
import type { SwarmManagers } from './swarm-manager.js';

/** How long the Swarm may need to forget the last container of an overlay. */
const releasedWithinMs = 5_000;

type Place = Pick<NetworkSpec, 'id' | 'clusterId' | 'nodeId'>;

/** The networks of containers: overlays of the Swarm, which a manager has, and networks of single nodes. */
export class ContainerNetworks implements NetworkLifecycle {
  private readonly lock = new KeyedLock();

  constructor(
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
    private readonly installation: string,
    private readonly restrictions: ContainerRestrictions,
  ) {}

  create(ctx: DriverContext, spec: NetworkSpec): Promise<{ readonly infrastructureId: string }> {
    return this.lock.run(`${spec.id} ${spec.nodeId ?? ''}`, async () => {
      requireAllowed(this.restrictions, 'network', spec);
      const engine = await this.engineOf(ctx, spec);
      const units = await this.unitsOn(ctx, engine, spec.id);
      requireNotSuperseded(`network ${spec.id}`, spec.generation, units[0] && generationOf(units[0].Labels));
      for (const unit of units)
        if (generationOf(unit.Labels) < spec.generation) await this.removeFrom(ctx, engine, unit);
      const isOwn = ({ Labels }: NetworkSummary): boolean => generationOf(Labels) === spec.generation;
      if (!units.some(isOwn)) await this.make(ctx, engine, spec);
      const [kept, ...doubles] = (await this.unitsOn(ctx, engine, spec.id)).filter(isOwn);
      if (!kept) throw new DriverError('transient', `network ${spec.name} was removed during its creation`);
      for (const double of doubles) await this.removeFrom(ctx, engine, double);
      return { infrastructureId: kept.Id };
    });
  }

  /** Succeeds when the node does not exist, because its networks were removed with it. */
  async delete(ctx: DriverContext, ref: NetworkRef): Promise<void> {
    const nodes = await this.inventory.nodes(ctx, { clusterId: ref.clusterId, nodeId: ref.nodeId });
    for (const node of nodes.filter(({ state }) => state === 'running')) {
      const engine = engineOf(node);
      for (const unit of await this.unitsOn(ctx, engine, ref.id))
        if (generationOf(unit.Labels) <= ref.generation) await this.remove(ctx, engine, ref.clusterId, unit);
    }
  }

  /**
   * Returns the name by which a container on this node joins the network. A network that the cluster shares, but whose driver knows one engine
   * only, is created on this one, too. Throws `conflict` when the network does not exist.
   */
  async nameOf(ctx: DriverContext, node: DockerEngine, { id, clusterId }: Place, name: string): Promise<string> {
    const [own] = await this.unitsOn(ctx, node, id);
    if (own) return own.Name;
    const [shared] = await this.unitsOn(ctx, await this.managerOf(ctx, clusterId), id);
    if (!shared) throw new DriverError('conflict', `network ${name} does not exist in the cluster`);
    const { Name, Driver, Scope, IPAM, Options = {}, Labels } = shared;
    if (Scope === 'swarm') return Name;
    const labels = { ...Labels, [label.unit]: 'replica' };
    await this.post(ctx, node, Driver ?? '', { Name, IPAM: { Config: IPAM.Config }, Options, Labels: labels });
    return Name;
  }

  /** Removes a network by the engine that lists it; an overlay only by a manager. Throws `conflict` while a container uses it. */
  async remove(ctx: DriverContext, engine: DockerEngine, clusterId: string, unit: NetworkSummary): Promise<void> {
    await this.removeFrom(ctx, unit.Scope === 'swarm' ? await this.managerOf(ctx, clusterId) : engine, unit);
  }

  private async removeFrom(
    ctx: DriverContext,
    engine: DockerEngine,
    { Id, Name, Scope }: NetworkSummary,
  ): Promise<void> {
    // the engine itself counts running containers only
    const query = { all: true, ...withLabels({}, { network: [Id] }) };
    const users = await engine.read<readonly unknown[]>(ctx, '/containers/json', { query });
    if (users.length > 0) throw new DriverError('conflict', `network ${Name} is used by a container`);
    const tryIt = async (): Promise<true | undefined> => {
      try {
        await undefinedOn([404], engine.change(ctx, 'DELETE', `/networks/${Id}`));
        // a node forgets a network of the Swarm only after its manager
        return (await undefinedOn([404], engine.read<object>(ctx, `/networks/${Id}`))) ? undefined : true;
      } catch (error) {
        if (Scope === 'swarm' && isInUse(error)) return undefined;
        throw error;
      }
    };
    ctx.progress('remove network');
    try {
      await pollUntil(ctx, { what: `release of network ${Name}`, withinMs: releasedWithinMs }, tryIt);
    } catch (cause) {
      if (ctx.signal.aborted || !(cause instanceof DriverError)) throw cause;
      if (!isInUse(cause) && !/^release of network/.test(cause.message)) throw cause;
      throw new DriverError('conflict', `network ${Name} is used by a container`, { cause });
    }
  }

  private async make(ctx: DriverContext, engine: DockerEngine, spec: NetworkSpec): Promise<void> {
    const { id: network, clusterId: cluster, nodeId: node, generation, driver, subnet, gateway } = spec;
    const { installation } = this;
    ctx.progress('create network');
    const config = {
      ...(subnet !== undefined && { Subnet: subnet }),
      ...(gateway !== undefined && { Gateway: gateway }),
    };
    await this.post(ctx, engine, driver, {
      Name: `stave-${shortId(installation, network, node ?? '')}-g${generation}`,
      Attachable: driver === 'overlay',
      IPAM: subnet === undefined ? undefined : { Config: [config] },
      Options: texts(spec.driverOptions),
      Labels: { ...spec.labels, ...labelled({ installation, unit: 'network', cluster, node, network, generation }) },
    });
  }

  private async post(ctx: DriverContext, engine: DockerEngine, driver: string, network: object): Promise<void> {
    const body = { ...network, Driver: driver, CheckDuplicate: true };
    try {
      await engine.change(ctx, 'POST', '/networks/create', { body, timeoutMs: 40_000 });
    } catch (error) {
      // 409: another call has created it
      if (!hasStatus(error, 409)) throw namedPlugin('network', driver, error);
    }
  }

  private async engineOf(ctx: DriverContext, { clusterId, nodeId }: Place): Promise<DockerEngine> {
    if (nodeId === undefined) return this.managerOf(ctx, clusterId);
    const [node] = await this.inventory.nodes(ctx, { nodeId });
    if (!node) throw new DriverError('notFound', `node ${nodeId} does not exist on this engine`);
    return engineOf(node);
  }

  private async managerOf(ctx: DriverContext, clusterId: string): Promise<DockerEngine> {
    return engineOf((await this.managers.require(ctx, clusterId)).container);
  }

  /** Returns the networks of a resource that an engine knows: the highest generation first, the oldest first within one. */
  private async unitsOn(ctx: DriverContext, engine: DockerEngine, id: string): Promise<readonly NetworkSummary[]> {
    const wanted = labelled({ installation: this.installation, network: id });
    const units = await engine.read<NetworkSummary[]>(ctx, '/networks', { query: withLabels(wanted) });
    const byAge = (a: NetworkSummary, b: NetworkSummary) => a.Created.localeCompare(b.Created);
    return units.sort((a, b) => generationOf(b.Labels) - generationOf(a.Labels) || byAge(a, b));
  }
}
