import {
  DriverError,
  type DriverContext,
  type ExpectedNode,
  type NodeCapacity,
  type NodeLifecycle,
  type NodeResult,
  type NodeSpec,
  type ResourceRef,
} from '@stave/driver-sdk';
import { failureOfStack, type Stack } from '@stave/openstack';
import type { Cloud } from '../cloud/cloud.js';
import { keyOf, type StackKey } from '../stacks/unit-tags.js';
import { outputsOf, placeOf, removeEverywhere, requirePlace, type HeatAccess } from './heat-access.js';
import { NodePlan, serverMetadata } from './node-plan.js';
import { optionsOf } from './options.js';
import { reboot } from './servers.js';

/** Nodes: each is one stack with its port, its server, its volumes and the wait for its report. */
export class HeatNodes implements NodeLifecycle {
  constructor(private readonly access: HeatAccess) {}

  async create(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const cloud = this.access.clouds.of(spec.cluster);
    ctx.progress('create stack');
    const stack = await this.ensured(ctx, cloud, spec);
    return this.resultOf(ctx, cloud, stack);
  }

  rebuild(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    return this.create(ctx, spec);
  }

  /** Changes the metadata of the server. A server that vanished is not made again here: only a rebuild gives it a new way to join. */
  async update(ctx: DriverContext, spec: NodeSpec): Promise<NodeResult> {
    const { cloud, stack } = await requirePlace(this.access, ctx, keyOfSpec(spec));
    const { stacks } = this.access;
    ctx.progress('check stack');
    await cloud.heat.check(ctx, stack);
    const checked = await stacks.settled(cloud, ctx, stack);
    if (checked?.progress !== 'COMPLETE')
      throw new DriverError('notFound', `a part of node ${spec.id} is gone: ${checked?.reason ?? 'its stack'}`);
    ctx.progress('change metadata');
    const metadata = serverMetadata(spec, optionsOf(spec).metadata, keyOf(stack)?.generation);
    await cloud.heat.change(ctx, stack, { metadata });
    const changed = await stacks.settled(cloud, ctx, stack);
    if (changed?.progress === 'FAILED') throw failureOfStack(changed);
    return this.resultOf(ctx, cloud, stack);
  }

  softReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    return this.reboot(ctx, ref, 'SOFT');
  }

  hardReboot(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    return this.reboot(ctx, ref, 'HARD');
  }

  async drain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await requirePlace(this.access, ctx, keyOfRef(ref));
  }

  async undrain(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    await requirePlace(this.access, ctx, keyOfRef(ref));
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    ctx.progress('remove stack');
    await removeEverywhere(this.access, ctx, keyOfRef(ref));
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<NodeResult | undefined> {
    const place = await placeOf(this.access, ctx, keyOfRef(ref));
    return place && this.resultOf(ctx, place.cloud, place.stack);
  }

  async expectedCapacity(_: DriverContext, { flavor }: ExpectedNode): Promise<NodeCapacity> {
    return { cpus: flavor.cpus, memoryMb: flavor.memoryMb };
  }

  /** Of two managers that are created at the same time both may take the first address: Neutron refuses it to one, which is made again. */
  private async ensured(ctx: DriverContext, cloud: Cloud, spec: NodeSpec): Promise<Stack> {
    const plan = new NodePlan(this.access, cloud);
    const ensure = (): Promise<Stack> =>
      this.access.stacks.ensure(cloud, ctx, keyOfSpec(spec), others => plan.of(ctx, spec, others));
    try {
      return await ensure();
    } catch (error) {
      if (!(error instanceof DriverError && addressTaken.test(error.message))) throw error;
      return ensure();
    }
  }

  private async reboot(ctx: DriverContext, ref: ResourceRef, type: 'SOFT' | 'HARD'): Promise<void> {
    const { cloud, stack } = await requirePlace(this.access, ctx, keyOfRef(ref));
    ctx.progress('restart server');
    const { server } = await outputsOf(cloud, ctx, stack);
    if (!server) throw new DriverError('notFound', `node ${ref.id} has no server`);
    await reboot(cloud, ctx, server, type);
  }

  private async resultOf(ctx: DriverContext, cloud: Cloud, stack: Stack): Promise<NodeResult> {
    const { address, cpus, memory_mb } = await outputsOf(cloud, ctx, stack);
    return {
      infrastructureId: stack.id,
      engine: (await cloud.account(ctx)).projectId,
      addresses: address ? [address] : [],
      capacity: { cpus: Number(cpus), memoryMb: Number(memory_mb) },
    };
  }
}

const addressTaken = /IpAddressAlreadyAllocated|IP address .* (already allocated|in use)/i;

const keyOfSpec = ({ id, cluster, generation }: NodeSpec): StackKey => ({
  ...{ kind: 'node', id, clusterId: cluster.id, generation },
});

const keyOfRef = ({ id, clusterId, generation }: ResourceRef): StackKey => ({
  kind: 'node',
  id,
  clusterId,
  generation,
});
