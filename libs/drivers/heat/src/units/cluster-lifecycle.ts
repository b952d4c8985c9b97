import {
  DriverError,
  type ClusterLifecycle,
  type ClusterResult,
  type ClusterSpec,
  type DriverContext,
  type ResourceRef,
} from '@stave/driver-sdk';
import { failureOfStack } from '@stave/openstack';
import type { StackPlan } from '../stacks/stack-units.js';
import { networkOf } from './cluster-network.js';
import type { ClusterNetwork, ReachedCluster } from './engine-definition.js';
import { externalNetworkIn } from './external-network.js';
import {
  keyOfCluster,
  outputsOf,
  placeOf,
  removeEverywhere,
  requirePlace,
  type HeatAccess,
  type Placed,
} from './heat-access.js';

/** The shared part of a cluster: a stack with its network, its security group and its encrypted secrets. */
export class HeatClusters implements ClusterLifecycle {
  constructor(private readonly access: HeatAccess) {}

  async create(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const { clouds, stacks, engine } = this.access;
    const cloud = clouds.of(spec);
    const network = networkOf(spec.network.cidr);
    ctx.progress('create network');
    const stack = await stacks.ensure(cloud, ctx, keyOfCluster(spec), () => this.plan(ctx, spec, network));
    return { infrastructureId: stack.id, endpoints: engine.endpoints(network) };
  }

  /** Nothing of a cluster changes on the infrastructure; what is missing of its stack is made again. */
  async update(ctx: DriverContext, spec: ClusterSpec): Promise<ClusterResult> {
    const place = await requirePlace(this.access, ctx, keyOfCluster(spec));
    const { cloud, stack } = place;
    const { stacks } = this.access;
    ctx.progress('check network');
    await cloud.heat.check(ctx, stack);
    const checked = await stacks.settled(cloud, ctx, stack);
    if (checked?.progress === 'FAILED') {
      ctx.progress('repair network');
      await cloud.heat.resume(ctx, stack);
      const repaired = await stacks.settled(cloud, ctx, stack);
      if (repaired?.progress === 'FAILED') throw failureOfStack(repaired);
    }
    return this.resultOf(ctx, place);
  }

  async delete(ctx: DriverContext, ref: ResourceRef): Promise<void> {
    const { clouds, stacks } = this.access;
    ctx.progress('remove network');
    await removeEverywhere(this.access, ctx, keyOfCluster(ref));
    for (const cloud of clouds.all()) cloud.forgetPoller(stacks.tags.selection(ref.id));
  }

  async inspect(ctx: DriverContext, ref: ResourceRef): Promise<ClusterResult | undefined> {
    const place = await placeOf(this.access, ctx, keyOfCluster(ref));
    return place && this.resultOf(ctx, place);
  }

  async credentials(ctx: DriverContext, ref: ResourceRef): Promise<Readonly<Record<string, string>>> {
    const { cluster, network, secrets } = await this.reach(ctx, ref);
    return this.access.engine.credentials(cluster, network, secrets);
  }

  /** Throws `notFound` when the cluster has no stack. */
  async reach(ctx: DriverContext, ref: ResourceRef): Promise<ReachedCluster> {
    const place = await requirePlace(this.access, ctx, keyOfCluster(ref));
    const { cidr, name = '', sealed } = await outputsOf(place.cloud, ctx, place.stack);
    const secrets = await this.access.secrets.open(ctx, place.cloud, ref.id, sealed);
    return { cluster: { id: ref.id, name }, network: networkOf(cidr), secrets };
  }

  private async plan(ctx: DriverContext, spec: ClusterSpec, network: ClusterNetwork): Promise<StackPlan> {
    const { clouds, engine, externalNetwork, secrets, templates } = this.access;
    const cloud = clouds.of(spec);
    const external = await externalNetworkIn(cloud, ctx, externalNetwork);
    const sealed = secrets.seal(cloud, spec.id, await engine.newSecrets(spec, network));
    return {
      template: templates.get('cluster'),
      parameters: { cluster_name: spec.name, cidr: network.cidr, external_network: external, sealed },
      timeoutMinutes: 15,
    };
  }

  private async resultOf(ctx: DriverContext, { cloud, stack }: Placed): Promise<ClusterResult> {
    if (stack.progress === 'FAILED' && stack.action === 'CREATE')
      throw new DriverError('conflict', `stack ${stack.name} was not created completely`);
    const { cidr } = await outputsOf(cloud, ctx, stack);
    return { infrastructureId: stack.id, endpoints: this.access.engine.endpoints(networkOf(cidr)) };
  }
}
