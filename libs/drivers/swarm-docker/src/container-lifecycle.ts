import {
  DriverError,
  type ContainerLifecycle,
  type ContainerRef,
  type ContainerResult,
  type ContainerSpec,
  type ContainerStats,
  type DriverContext,
} from '@stave/driver-sdk';
import { ensureImageOnNode } from './container-image.js';
import { ensureNetwork, ensureVolumes } from './container-resources.js';
import { changeRequest, containerRequest } from './container-request.js';
import { containerStats } from './container-stats.js';
import { EngineClient, withLabels } from './engine-client.js';
import { undefinedOn } from './engine-error.js';
import type { ContainerDetails, ContainerSummary, StatsSample } from './engine-types.js';
import type { Inventory } from './inventory.js';
import { generationOf, label, unitName } from './labels.js';
import { followLogs } from './followed-logs.js';
import { demultiplex } from './log-frames.js';
import type { SwarmManagers } from './swarm-manager.js';

const stopGraceSeconds = 10;
const stopTimeoutMs = (stopGraceSeconds + 20) * 1000;

interface ContainerParts {
  readonly host: EngineClient;
  readonly inventory: Inventory;
  readonly managers: SwarmManagers;
  readonly installation: string;
}

/** Operations on containers by the engine of their node. */
export class NodeContainers implements ContainerLifecycle {
  constructor(private readonly parts: ContainerParts) {}

  async create(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult> {
    const engine = await this.engineOf(ctx, spec.nodeId);
    const units = await this.unitsOf(ctx, engine, spec.id);
    const newer = units.find(unit => generationOf(unit.Labels) > spec.generation);
    if (newer)
      throw new DriverError('conflict', `container ${spec.id} has the higher generation ${generationOf(newer.Labels)}`);
    for (const old of units.filter(unit => generationOf(unit.Labels) < spec.generation))
      await removeUnit(ctx, engine, old.Id);
    const own = units.find(unit => generationOf(unit.Labels) === spec.generation);
    const id = own?.Id ?? (await this.make(ctx, engine, spec));
    ctx.progress('start container');
    await undefinedOn([304], engine.change(ctx, 'POST', `/containers/${id}/start`, { timeoutMs: 30_000 }));
    return this.result(ctx, engine, id);
  }

  async update(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult> {
    const { engine, id } = await this.existing(ctx, { ...spec, options: {} });
    ctx.progress('update container');
    await engine.change(ctx, 'POST', `/containers/${id}/update`, { body: changeRequest(spec) });
    return this.result(ctx, engine, id);
  }

  async start(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult> {
    const { engine, id } = await this.existing(ctx, ref);
    await undefinedOn([304], engine.change(ctx, 'POST', `/containers/${id}/start`, { timeoutMs: 30_000 }));
    return this.result(ctx, engine, id);
  }

  async stop(ctx: DriverContext, ref: ContainerRef): Promise<void> {
    const { engine, id } = await this.existing(ctx, ref);
    const options = { query: { t: stopGraceSeconds }, timeoutMs: stopTimeoutMs };
    await undefinedOn([304], engine.change(ctx, 'POST', `/containers/${id}/stop`, options));
  }

  async restart(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult> {
    const { engine, id } = await this.existing(ctx, ref);
    const options = { query: { t: stopGraceSeconds }, timeoutMs: stopTimeoutMs };
    await engine.change(ctx, 'POST', `/containers/${id}/restart`, options);
    return this.result(ctx, engine, id);
  }

  /** Succeeds when the node does not exist, because its containers were removed with it. */
  async delete(ctx: DriverContext, ref: ContainerRef): Promise<void> {
    const [node] = await this.parts.inventory.nodes(ctx, { nodeId: ref.nodeId });
    if (!node) return;
    const engine = new EngineClient(node.socket);
    for (const unit of await this.unitsOf(ctx, engine, ref.id)) {
      if (generationOf(unit.Labels) <= ref.generation) await removeUnit(ctx, engine, unit.Id);
    }
  }

  async logs(ctx: DriverContext, ref: ContainerRef, options: { readonly tail: number }): Promise<string> {
    const { engine, id } = await this.existing(ctx, ref);
    const query = { stdout: true, stderr: true, tail: options.tail };
    return demultiplex(await engine.readBytes(ctx, `/containers/${id}/logs`, { query }));
  }

  async follow(
    ctx: DriverContext,
    ref: ContainerRef,
    options: { readonly tail: number },
  ): Promise<AsyncIterable<string>> {
    const { engine, id } = await this.existing(ctx, ref);
    return followLogs(ctx, engine, { id, tail: options.tail });
  }

  /** Takes about two seconds, because the engine compares two samples. */
  async stats(ctx: DriverContext, ref: ContainerRef): Promise<ContainerStats> {
    const { engine, id } = await this.existing(ctx, ref);
    const sample = await engine.read<StatsSample>(ctx, `/containers/${id}/stats`, { query: { stream: false } });
    const used = containerStats(sample);
    if (!used) throw new DriverError('conflict', `container ${ref.id} is not running`, { code: 'not-running' });
    return used;
  }

  private async make(ctx: DriverContext, engine: EngineClient, spec: ContainerSpec): Promise<string> {
    await ensureImageOnNode(ctx, this.parts.host, engine, spec.image);
    await ensureNetwork(ctx, spec, engine, () => this.managerEngine(ctx, spec.clusterId));
    await ensureVolumes(ctx, spec, engine);
    ctx.progress('create container');
    const name = unitName(this.parts.installation, spec.id, spec.generation);
    const body = containerRequest(this.parts.installation, spec);
    const path = '/containers/create';
    const made = await undefinedOn([409], engine.change<{ Id: string }>(ctx, 'POST', path, { query: { name }, body }));
    return made?.Id ?? (await engine.read<ContainerDetails>(ctx, `/containers/${name}/json`)).Id;
  }

  private async managerEngine(ctx: DriverContext, clusterId: string): Promise<EngineClient> {
    return new EngineClient((await this.parts.managers.require(ctx, clusterId)).container.socket);
  }

  private async engineOf(ctx: DriverContext, nodeId: string): Promise<EngineClient> {
    const [node] = await this.parts.inventory.nodes(ctx, { nodeId });
    if (!node) throw new DriverError('notFound', `node ${nodeId} is not on this engine`);
    return new EngineClient(node.socket);
  }

  /** Returns the containers of a resource, the highest generation first. */
  private async unitsOf(ctx: DriverContext, engine: EngineClient, id: string): Promise<readonly ContainerSummary[]> {
    const wanted = { [label.installation]: this.parts.installation, [label.container]: id };
    const query = { all: true, ...withLabels(wanted) };
    const units = await engine.read<ContainerSummary[]>(ctx, '/containers/json', { query });
    return units.sort((a, b) => generationOf(b.Labels) - generationOf(a.Labels));
  }

  private async existing(ctx: DriverContext, ref: ContainerRef): Promise<{ engine: EngineClient; id: string }> {
    const engine = await this.engineOf(ctx, ref.nodeId);
    const units = await this.unitsOf(ctx, engine, ref.id);
    const unit = units.find(one => generationOf(one.Labels) <= ref.generation);
    if (!unit) throw new DriverError('notFound', `container ${ref.id} is not on node ${ref.nodeId}`);
    return { engine, id: unit.Id };
  }

  private async result(ctx: DriverContext, engine: EngineClient, id: string): Promise<ContainerResult> {
    const { Id, NetworkSettings } = await engine.read<ContainerDetails>(ctx, `/containers/${id}/json`);
    const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? NetworkSettings.IPAddress;
    return { infrastructureId: Id, ...(address !== '' && { address }) };
  }
}

/** Removes a container and its anonymous volumes; succeeds when it does not exist or another call is removing it. */
export async function removeUnit(ctx: DriverContext, engine: EngineClient, containerId: string): Promise<void> {
  const query = { force: true, v: true };
  await undefinedOn(
    [404, 409],
    engine.change(ctx, 'DELETE', `/containers/${containerId}`, { query, timeoutMs: 30_000 }),
  );
}
