import {
  DriverError,
  type ContainerLifecycle,
  type ContainerRef,
  type ContainerResult,
  type ContainerSpec,
  type ContainerStats,
  type DriverContext,
} from '@stave/driver-sdk';
import { generationOf, labelled, requireNotSuperseded } from '@stave/docker';
import { containerName, containerRecord, recordData, type ContainerPlace } from './container-objects.js';
import type { ContainerPod, ContainerRecord } from './container-pod.js';
import { ContainerStore } from './container-store.js';
import type { ContainerUsageReader } from './container-usage.js';
import type { ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';

type UnitRef = Pick<ContainerRef, 'id' | 'clusterId' | 'nodeId' | 'generation'>;

const defaultGraceSeconds = 10;

interface Existing {
  readonly store: ContainerStore;
  readonly record: ContainerRecord;
}

/** Operations on containers: pods that Stave binds to nodes, each with a record from which it is made. */
export class KubernetesContainers implements ContainerLifecycle {
  constructor(
    private readonly inventory: Inventory,
    private readonly controlPlanes: ControlPlanes,
    private readonly installation: string,
    private readonly usage: ContainerUsageReader,
  ) {}

  async create(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult> {
    requireSupported(spec);
    const node = await this.nodeOf(ctx, spec.nodeId);
    const store = await this.storeOf(ctx, spec.clusterId);
    const found = await this.records(ctx, store, spec.id);
    requireNotSuperseded(`container ${spec.id}`, spec.generation, found[0] && generation(found[0]));
    for (const old of found.filter(one => generation(one) < spec.generation))
      await store.remove(ctx, old.metadata.name, defaultGraceSeconds);
    await store.prepare(ctx);
    ctx.progress('create container');
    if (!found.some(one => generation(one) === spec.generation))
      await store.make(ctx, containerRecord(spec, this.place(node)));
    return this.started(ctx, { store, record: await this.record(ctx, store, spec) });
  }

  /** Makes the pod again: what changes is fixed in a pod. */
  async update(ctx: DriverContext, spec: ContainerSpec): Promise<ContainerResult> {
    requireSupported(spec);
    const [node, existing] = await Promise.all([this.nodeOf(ctx, spec.nodeId), this.existing(ctx, spec)]);
    const { store, record } = existing;
    const own = { ...spec, generation: generation(record) };
    ctx.progress('update container');
    const wasStopped = !(await store.pod(ctx, record.metadata.name));
    await store.replaceData(ctx, record.metadata.name, recordData(own, this.place(node)));
    if (wasStopped) return { infrastructureId: record.metadata.uid };
    await store.stop(ctx, record.metadata.name, spec.stopGraceSeconds ?? defaultGraceSeconds);
    return this.started(ctx, existing);
  }

  async start(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult> {
    return this.started(ctx, await this.existing(ctx, ref));
  }

  async stop(ctx: DriverContext, ref: ContainerRef): Promise<void> {
    const { store, record } = await this.existing(ctx, ref);
    await store.stop(ctx, record.metadata.name, ref.stopGraceSeconds ?? defaultGraceSeconds);
  }

  async restart(ctx: DriverContext, ref: ContainerRef): Promise<ContainerResult> {
    const existing = await this.existing(ctx, ref);
    await existing.store.stop(ctx, existing.record.metadata.name, ref.stopGraceSeconds ?? defaultGraceSeconds);
    return this.started(ctx, existing);
  }

  /** A node that does not run ends nothing: then the pod is removed without it. */
  async delete(ctx: DriverContext, ref: ContainerRef): Promise<void> {
    const [node] = await this.inventory.nodes(ctx, { nodeId: ref.nodeId });
    const managers = await this.inventory.nodes(ctx, { clusterId: ref.clusterId, role: 'manager' });
    if (managers.length === 0) return; // nothing is left of the cluster of Kubernetes
    const store = await this.storeOf(ctx, ref.clusterId);
    const graceSeconds = node?.state === 'running' ? (ref.stopGraceSeconds ?? defaultGraceSeconds) : 0;
    for (const record of await this.records(ctx, store, ref.id))
      if (generation(record) <= ref.generation) await store.remove(ctx, record.metadata.name, graceSeconds);
  }

  async logs(ctx: DriverContext, ref: ContainerRef, { tail }: { readonly tail: number }): Promise<string> {
    const { store, record } = await this.existing(ctx, ref);
    return store.logs(ctx, record.metadata.name, tail);
  }

  async follow(ctx: DriverContext, ref: ContainerRef, { tail }: { readonly tail: number }) {
    const { store, record } = await this.existing(ctx, ref);
    return store.follow(ctx, record.metadata.name, tail);
  }

  async stats(ctx: DriverContext, ref: ContainerRef): Promise<ContainerStats> {
    const { store, record } = await this.existing(ctx, ref);
    const pod = await store.pod(ctx, record.metadata.name);
    const node = await this.nodeOf(ctx, ref.nodeId);
    const isRunning = pod?.status.containerStatuses?.[0]?.state.running !== undefined;
    if (!isRunning) throw new DriverError('conflict', `container ${ref.id} is not running`, { code: 'not-running' });
    return this.usage.of(ctx, node, record.metadata.name);
  }

  private place({ member }: NodeContainer): ContainerPlace {
    return { installation: this.installation, member };
  }

  private async started(ctx: DriverContext, { store, record }: Existing): Promise<ContainerResult> {
    return result(record, await store.start(ctx, record.metadata.name));
  }

  private async storeOf(ctx: DriverContext, clusterId: string): Promise<ContainerStore> {
    return new ContainerStore((await this.controlPlanes.require(ctx, clusterId)).api);
  }

  private async nodeOf(ctx: DriverContext, nodeId: string): Promise<NodeContainer> {
    const [node] = await this.inventory.nodes(ctx, { nodeId });
    if (!node) throw new DriverError('notFound', `node ${nodeId} does not exist on this engine`);
    return node;
  }

  /** Returns the records of a container, the highest generation first. */
  private async records(ctx: DriverContext, store: ContainerStore, id: string): Promise<readonly ContainerRecord[]> {
    const found = await store.records(ctx, labelled({ installation: this.installation, container: id }));
    return [...found].sort((a, b) => generation(b) - generation(a));
  }

  private async record(ctx: DriverContext, store: ContainerStore, spec: ContainerSpec): Promise<ContainerRecord> {
    const name = containerName(this.installation, spec);
    const found = (await this.records(ctx, store, spec.id)).find(({ metadata }) => metadata.name === name);
    if (!found) throw new DriverError('transient', `container ${spec.id} was removed during its creation`);
    return found;
  }

  private async existing(ctx: DriverContext, ref: UnitRef): Promise<Existing> {
    const [node] = await this.inventory.nodes(ctx, { nodeId: ref.nodeId });
    const store = node && (await this.storeOf(ctx, ref.clusterId));
    const record = store && (await this.records(ctx, store, ref.id)).find(one => generation(one) <= ref.generation);
    if (!record) throw new DriverError('notFound', `container ${ref.id} does not exist on node ${ref.nodeId}`);
    return { store, record };
  }
}

const generation = ({ metadata }: ContainerRecord): number => generationOf(metadata.labels);

function result({ metadata }: ContainerRecord, { status }: ContainerPod): ContainerResult {
  const { podIP: address } = status;
  return { infrastructureId: metadata.uid, ...(address !== undefined && { address }) };
}

/** Throws `unsupported` for what a pod cannot have here: it is refused instead of being left out. */
function requireSupported(spec: ContainerSpec): void {
  const unsupported = [
    ...(spec.network ? ['/network'] : []),
    ...(spec.volumes.length > 0 ? ['/volumes'] : []),
    ...spec.ports.flatMap(({ hostPort }, i) => (hostPort === undefined ? [] : [`/ports/${i}/hostPort`])),
    ...(spec.imageCredentials === undefined ? [] : ['/imageCredentials']),
  ];
  if (unsupported.length === 0) return;
  throw new DriverError('unsupported', `k8s_docker does not support these members: ${unsupported.join(', ')}`);
}
