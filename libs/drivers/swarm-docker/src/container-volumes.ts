import {
  DriverError,
  type ContainerRestrictions,
  type DriverContext,
  type VolumeLifecycle,
  type VolumeRef,
  type VolumeSpec,
} from '@stave/driver-sdk';
import {
  type DockerEngine,
  generationOf,
  hasStatus,
  KeyedLock,
  labelled,
  requireNotSuperseded,
  shortId,
  undefinedOn,
  type VolumeSummary,
} from '@stave/docker';
import { namedPlugin, requireAllowed, texts } from './attachment-rules.js';
import { engineOf, type Inventory } from './inventory.js';
import type { SwarmManagers } from './swarm-manager.js';

/** An engine looks for a missing plug-in for 15 s. */
const timeoutMs = 40_000;

/** The volumes of containers: on single nodes, or of a plug-in that all nodes share, where a manager has the first reference. */
export class ContainerVolumes implements VolumeLifecycle {
  private readonly lock = new KeyedLock();

  constructor(
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
    private readonly installation: string,
    private readonly restrictions: ContainerRestrictions,
  ) {}

  create(ctx: DriverContext, spec: VolumeSpec): Promise<{ readonly infrastructureId: string }> {
    return this.lock.run(`${spec.id} ${spec.nodeId ?? ''}`, async () => {
      requireAllowed(this.restrictions, 'volume', spec);
      const engine = await this.engineOf(ctx, spec);
      const units = await this.unitsOn(ctx, engine, spec.id);
      requireNotSuperseded(`volume ${spec.id}`, spec.generation, units[0] && generationOf(units[0].Labels));
      for (const { Name, Labels } of units)
        if (generationOf(Labels) < spec.generation) await this.removeFrom(ctx, engine, Name);
      return { infrastructureId: await this.make(ctx, engine, spec) };
    });
  }

  /** Succeeds when the node does not exist, because its volumes were removed with it. */
  async delete(ctx: DriverContext, ref: VolumeRef): Promise<void> {
    const nodes = await this.inventory.nodes(ctx, { clusterId: ref.clusterId, nodeId: ref.nodeId });
    for (const node of nodes.filter(({ state }) => state === 'running')) {
      const engine = engineOf(node);
      for (const { Name, Labels } of await this.unitsOn(ctx, engine, ref.id))
        if (generationOf(Labels) <= ref.generation) await this.removeFrom(ctx, engine, Name);
    }
  }

  /** Returns the name by which a container on this node mounts the volume, of which the node gets a reference. Throws `conflict`. */
  async nameOf(ctx: DriverContext, node: DockerEngine, { id, clusterId, name }: Volume): Promise<string> {
    const [own] = await this.unitsOn(ctx, node, id);
    if (own) return own.Name;
    const manager = engineOf((await this.managers.require(ctx, clusterId)).container);
    const [shared] = await this.unitsOn(ctx, manager, id);
    if (!shared) throw new DriverError('conflict', `volume ${name} does not exist in the cluster`);
    const { Name, Driver, Options, Labels } = shared;
    const body = { Name, Driver, DriverOpts: Options ?? {}, Labels };
    await node.change(ctx, 'POST', '/volumes/create', { body, timeoutMs });
    return Name;
  }

  /** Removes a volume from an engine. Throws `conflict` while a container uses it. */
  async removeFrom(ctx: DriverContext, engine: DockerEngine, name: string): Promise<void> {
    ctx.progress('remove volume');
    try {
      await undefinedOn([404], engine.change(ctx, 'DELETE', `/volumes/${name}`, { timeoutMs }));
    } catch (cause) {
      if (!hasStatus(cause, 409)) throw cause;
      throw new DriverError('conflict', `volume ${name} is used by a container`, { cause });
    }
  }

  private async make(ctx: DriverContext, engine: DockerEngine, spec: VolumeSpec): Promise<string> {
    const { id: volume, clusterId: cluster, nodeId: node, generation, driver } = spec;
    const { installation } = this;
    ctx.progress('create volume');
    const body = {
      Name: `stave-${shortId(installation, volume, node ?? '')}-g${generation}`,
      Driver: driver,
      DriverOpts: texts(spec.driverOptions),
      Labels: { ...spec.labels, ...labelled({ installation, unit: 'volume', cluster, node, volume, generation }) },
    };
    const made = await engine
      .change<VolumeSummary>(ctx, 'POST', '/volumes/create', { body, timeoutMs })
      .catch((error: unknown) => {
        throw namedPlugin('volume', driver, error);
      });
    return made.Name;
  }

  private async engineOf(ctx: DriverContext, { clusterId, nodeId }: VolumeSpec): Promise<DockerEngine> {
    if (nodeId === undefined) return engineOf((await this.managers.require(ctx, clusterId)).container);
    const [node] = await this.inventory.nodes(ctx, { nodeId });
    if (!node) throw new DriverError('notFound', `node ${nodeId} does not exist on this engine`);
    return engineOf(node);
  }

  /** Returns the units of a volume on an engine, the highest generation first. */
  private async unitsOn(ctx: DriverContext, engine: DockerEngine, id: string): Promise<readonly VolumeSummary[]> {
    const units = await engine.volumes(ctx, labelled({ installation: this.installation, unit: 'volume', volume: id }));
    return [...units].sort((a, b) => generationOf(b.Labels) - generationOf(a.Labels));
  }
}

/** A volume as a container names it. */
interface Volume {
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
}
