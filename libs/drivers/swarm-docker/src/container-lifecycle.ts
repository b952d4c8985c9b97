import {
  containerProblems,
  DriverError,
  type ContainerLifecycle,
  type ContainerRef,
  type ContainerRestrictions,
  type ContainerResult,
  type ContainerSpec,
  type ContainerStats,
  type DriverContext,
} from '@stave/driver-sdk';
import {
  type ContainerSummary,
  type DockerEngine,
  followLogs,
  generationOf,
  labelled,
  requireNotSuperseded,
  undefinedOn,
  unitName,
} from '@stave/docker';
import { changeRequest, containerRequest } from './container-request.js';
import { ensureImageOnNode } from './container-images.js';
import type { ContainerNetworks } from './container-networks.js';
import { ensureUnmanaged } from './container-resources.js';
import type { ContainerVolumes } from './container-volumes.js';
import { engineOf, type Inventory } from './inventory.js';
import type { SwarmManagers } from './swarm-manager.js';

const defaultGraceSeconds = 10;

interface ExistingContainer {
  readonly engine: DockerEngine;
  readonly id: string;
}

export class NodeContainers implements ContainerLifecycle {
  constructor(
    private readonly host: DockerEngine,
    private readonly inventory: Inventory,
    private readonly managers: SwarmManagers,
    private readonly installation: string,
    private readonly restrictions: ContainerRestrictions,
    private readonly attachments: { readonly networks: ContainerNetworks; readonly volumes: ContainerVolumes },
  ) {}

  /** Throws `permanent` with the code `option-not-allowed` for a volume or network beyond the restrictions, before any change. */
  async create(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult> {
    const [problem] = containerProblems(this.restrictions, spec);
    if (problem) throw new DriverError('permanent', `${problem.pointer}: ${problem.detail}`, { code: problem.code });
    const engine = await this.engineOf(ctx, spec.nodeId);
    const units = await this.unitsOf(ctx, engine, spec.id);
    requireNotSuperseded(`container ${spec.id}`, spec.generation, units[0] && generationOf(units[0].Labels));
    const older = units.filter(unit => generationOf(unit.Labels) < spec.generation);
    for (const { Id } of older) await engine.removeContainer(ctx, Id);
    const own = units.find(unit => generationOf(unit.Labels) === spec.generation);
    const id = own?.Id ?? (await this.make(ctx, engine, spec));
    ctx.progress('start container');
    await engine.start(ctx, id);
    return result(ctx, { engine, id });
  }

  async update(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult> {
    const { engine, id } = await this.existing(ctx, spec);
    ctx.progress('update container');
    await engine.change(ctx, 'POST', `/containers/${id}/update`, { body: changeRequest(spec) });
    return result(ctx, { engine, id });
  }

  async start(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult> {
    const existing = await this.existing(ctx, ref);
    await existing.engine.start(ctx, existing.id);
    return result(ctx, existing);
  }

  async stop(ctx: DriverContext, ref: ContainerRef): Promise<void> {
    const { engine, id } = await this.existing(ctx, ref);
    await engine.halt(ctx, 'stop', id, ref.stopGraceSeconds ?? defaultGraceSeconds);
  }

  async restart(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult> {
    const existing = await this.existing(ctx, ref);
    await existing.engine.halt(ctx, 'restart', existing.id, ref.stopGraceSeconds ?? defaultGraceSeconds);
    return result(ctx, existing);
  }

  /** Succeeds when the node does not exist, because its containers were removed with it. */
  async delete(ctx: DriverContext, ref: ContainerRef): Promise<void> {
    const [node] = await this.inventory.nodes(ctx, { nodeId: ref.nodeId });
    if (!node) return;
    const engine = engineOf(node);
    for (const unit of await this.unitsOf(ctx, engine, ref.id)) {
      if (generationOf(unit.Labels) > ref.generation) continue;
      const graceSeconds = ref.stopGraceSeconds ?? defaultGraceSeconds;
      if (unit.State === 'running') await undefinedOn([404], engine.halt(ctx, 'stop', unit.Id, graceSeconds));
      await engine.removeContainer(ctx, unit.Id);
    }
    await this.removeLeaving(ctx, ref);
  }

  async logs(ctx: DriverContext, ref: ContainerRef, { tail }: { readonly tail: number }): Promise<string> {
    const { engine, id } = await this.existing(ctx, ref);
    return engine.logs(ctx, id, tail);
  }

  async follow(ctx: DriverContext, ref: ContainerRef, { tail }: { readonly tail: number }) {
    const { engine, id } = await this.existing(ctx, ref);
    return followLogs(ctx, engine, { id, tail });
  }

  async stats(ctx: DriverContext, ref: ContainerRef): Promise<ContainerStats> {
    const { engine, id } = await this.existing(ctx, ref);
    const used = await engine.stats(ctx, id);
    if (!used) throw new DriverError('conflict', `container ${ref.id} is not running`, { code: 'not-running' });
    return used;
  }

  private async make(ctx: DriverContext, engine: DockerEngine, spec: ContainerSpec): Promise<string> {
    await ensureImageOnNode(ctx, this.host, engine, spec);
    const named = await this.withAttachments(ctx, engine, spec);
    ctx.progress('create container');
    const name = unitName(this.installation, spec.id, spec.generation);
    const body = containerRequest(this.installation, named);
    const options = { query: { name }, body };
    const made = await undefinedOn([409], engine.change<{ Id: string }>(ctx, 'POST', '/containers/create', options));
    return made?.Id ?? name;
  }

  /** Provides the node with networks and volumes, and returns the container with their names on the engine. */
  private async withAttachments(ctx: DriverContext, engine: DockerEngine, spec: ContainerSpec): Promise<ContainerSpec> {
    const { networks, volumes } = this.attachments;
    const { clusterId, network } = spec;
    for (const wanted of spec.attachments?.networks ?? []) await networks.create(ctx, wanted);
    for (const wanted of spec.attachments?.volumes ?? []) await volumes.create(ctx, wanted);
    await ensureUnmanaged(ctx, spec, engine, async () =>
      engineOf((await this.managers.require(ctx, clusterId)).container),
    );
    const mounts = await Promise.all(
      spec.volumes.map(async volume => {
        const { volumeId: id, name } = volume;
        return id === undefined
          ? volume
          : { ...volume, name: await volumes.nameOf(ctx, engine, { id, clusterId, name }) };
      }),
    );
    const id = network?.networkId;
    if (!network || id === undefined) return { ...spec, volumes: mounts };
    const name = await networks.nameOf(ctx, engine, { id, clusterId }, network.name);
    return { ...spec, volumes: mounts, network: { ...network, name } };
  }

  /** Removes what only this container used. What another one uses stays. */
  private async removeLeaving(ctx: DriverContext, { leaving = [], ...ref }: ContainerRef): Promise<void> {
    const { networks, volumes } = this.attachments;
    for (const { kind, id, generation } of leaving) {
      const lifecycle = kind === 'network' ? networks : volumes;
      await lifecycle.delete(ctx, { ...ref, id, generation }).catch((error: unknown) => {
        if (!(error instanceof DriverError) || error.failure !== 'conflict') throw error;
        ctx.log.info({ kind, id, reason: error.message }, 'it stays on the node');
      });
    }
  }

  private async engineOf(ctx: DriverContext, nodeId: string): Promise<DockerEngine> {
    const [node] = await this.inventory.nodes(ctx, { nodeId });
    if (!node) throw new DriverError('notFound', `node ${nodeId} does not exist on this engine`);
    return engineOf(node);
  }

  /** Returns the containers of a resource, the highest generation first. */
  private async unitsOf(ctx: DriverContext, engine: DockerEngine, id: string): Promise<readonly ContainerSummary[]> {
    const units = await engine.containers(ctx, labelled({ installation: this.installation, container: id }));
    return units.sort((a, b) => generationOf(b.Labels) - generationOf(a.Labels));
  }

  private async existing(
    ctx: DriverContext,
    ref: Pick<ContainerRef, 'id' | 'nodeId' | 'generation'>,
  ): Promise<ExistingContainer> {
    const engine = await this.engineOf(ctx, ref.nodeId);
    const units = await this.unitsOf(ctx, engine, ref.id);
    const unit = units.find(one => generationOf(one.Labels) <= ref.generation);
    if (!unit) throw new DriverError('notFound', `container ${ref.id} does not exist on node ${ref.nodeId}`);
    return { engine, id: unit.Id };
  }
}

/** Returns the state of a container by its id or name. Throws `notFound` when it was removed during the call. */
async function result(ctx: DriverContext, { engine, id }: ExistingContainer): Promise<ContainerResult> {
  const details = await engine.container(ctx, id);
  if (!details) throw new DriverError('notFound', `container ${id} was removed during the call`);
  const { IPAddress, Networks } = details.NetworkSettings;
  const address = Object.values(Networks)[0]?.IPAddress ?? IPAddress;
  return { infrastructureId: details.Id, ...(address !== '' && { address }) };
}
