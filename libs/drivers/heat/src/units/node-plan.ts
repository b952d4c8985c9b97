import { bootstrapNode, cloudInitDocument, ignitionDocument, InvalidDescriptionError } from '@stave/bootstrap';
import { DriverError, type DriverContext, type NodeSpec } from '@stave/driver-sdk';
import type { Stack } from '@stave/openstack';
import type { Cloud } from '../cloud/cloud.js';
import { flavorIn } from '../cloud/flavors.js';
import { imageIn } from '../cloud/images.js';
import type { StackPlan } from '../stacks/stack-units.js';
import { keyOf } from '../stacks/unit-tags.js';
import { networkOf } from './cluster-network.js';
import type { NodeSituation } from './engine-definition.js';
import { outputsOf, type HeatAccess } from './heat-access.js';
import { withVolumes, withVolumeStep } from './node-volumes.js';
import { optionsOf } from './options.js';

/** Beyond the time in which a node must report: Nova and the boot before it. */
const slackSeconds = 1_200;
const roleTag = 'stave.role';
const firstTag = 'stave.first';

/** Plans the stack of a node from the other stacks of its cluster. */
export class NodePlan {
  constructor(
    private readonly access: HeatAccess,
    private readonly cloud: Cloud,
  ) {}

  async of(ctx: DriverContext, spec: NodeSpec, others: readonly Stack[]): Promise<StackPlan> {
    const { cloud } = this;
    const { engine, stacks, templates } = this.access;
    requireRegion(cloud, spec);
    const cluster = await outputsOf(cloud, ctx, clusterStackIn(others, spec.cluster.id));
    const managers = others.filter(({ tags, action }) => tags[roleTag] === 'manager' && action !== 'DELETE');
    const hasFirstAddress = spec.role === 'manager' && !managers.some(({ tags }) => tags[firstTag] === 'true');
    const { metadata, readyTimeoutSeconds } = optionsOf(spec);
    const network = networkOf(cluster['cidr']);
    const [flavor, image, secrets, addresses] = [
      (await flavorIn(cloud, ctx, spec.flavor)).id,
      await imageIn(cloud, ctx, engine.os, spec.image),
      await this.access.secrets.open(ctx, cloud, spec.cluster.id, cluster['sealed']),
      await this.addressesOf(ctx, managers),
    ];
    const hostname = hostnameOf(spec);
    const userData = await this.userData({
      ...{ spec, network, hasFirstAddress, managers: addresses, secrets },
      machine: {
        ...{ os: engine.os, hostname, software: this.access.software, readyTimeoutSeconds },
        ...(hasFirstAddress && { address: network.firstAddress }),
        readiness: { kind: 'heat', endpoint: '__SIGNAL_ENDPOINT__', token: '__SIGNAL_TOKEN__' },
      },
      joinWithinSeconds: readyTimeoutSeconds + slackSeconds,
    });
    return {
      template: withVolumes(templates.get('node'), spec.volumes ?? []),
      parameters: {
        ...{ name: hostname, flavor, image, zone: spec.zone ?? '' },
        ...{ network: cluster['network'], subnet: cluster['subnet'], security_group: cluster['security_group'] },
        address: hasFirstAddress ? network.firstAddress : '',
        metadata: serverMetadata(spec, metadata),
        tags: [stacks.tags.serverTag],
        ready_timeout: readyTimeoutSeconds,
        ...{ cpus: spec.flavor.cpus, memory_mb: spec.flavor.memoryMb },
        user_data: userData,
      },
      tags: {
        ...{ 'stave.nodeGroup': spec.nodeGroup.id, [roleTag]: spec.role },
        ...(hasFirstAddress && { [firstTag]: 'true' }),
      },
      timeoutMinutes: Math.ceil((readyTimeoutSeconds + slackSeconds) / 60),
    };
  }

  private async userData(situation: NodeSituation): Promise<string> {
    const { engine } = this.access;
    try {
      const { spec, machine: described } = situation;
      const made = bootstrapNode(await engine.describe(situation));
      const machine = withVolumeStep(made, spec.volumes ?? [], described.readyTimeoutSeconds ?? 600);
      return engine.userData === 'ignition' ? ignitionDocument(machine) : cloudInitDocument(machine);
    } catch (error) {
      if (!(error instanceof InvalidDescriptionError)) throw error;
      throw new DriverError('permanent', error.message, { cause: error });
    }
  }

  private async addressesOf(ctx: DriverContext, managers: readonly Stack[]): Promise<readonly string[]> {
    const complete = managers.filter(({ progress }) => progress === 'COMPLETE');
    const outputs = await Promise.all(complete.map(stack => outputsOf(this.cloud, ctx, stack)));
    return outputs.map(({ address = '' }) => address).filter(address => address !== '');
  }
}

/** Returns the metadata of a node's server; those of the driver cannot be overridden. */
export const serverMetadata = (
  spec: NodeSpec,
  metadata: Readonly<Record<string, string>>,
  generation = spec.generation,
) => ({
  ...metadata,
  'stave.cluster': spec.cluster.id,
  'stave.node': spec.id,
  'stave.generation': String(generation),
});

/** A name of a node is one of a host, unless it is longer. */
function hostnameOf({ name, id }: NodeSpec): string {
  const text = name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (text !== '' && text.length <= 63) return text;
  return `${text.slice(0, 50)}-${id.replace(/[^a-z0-9]/gi, '').slice(0, 12)}`.toLowerCase().replace(/^-+/, '');
}

function clusterStackIn(others: readonly Stack[], clusterId: string): Stack {
  const found = others.filter(stack => keyOf(stack)?.kind === 'cluster').at(-1);
  if (!found) throw new DriverError('notFound', `cluster ${clusterId} has no stack`);
  if (found.progress === 'COMPLETE') return found;
  throw new DriverError('transient', `the stack of cluster ${clusterId} is ${found.action}_${found.progress}`);
}

/** A network of Neutron belongs to one region, so that all nodes of a cluster are in that of its cloud. */
function requireRegion({ settings }: Cloud, { region }: NodeSpec): void {
  if (region === undefined || settings.region === undefined || region === settings.region) return;
  const message = `the cluster is in region ${settings.region}: a node in ${region} would not reach its network`;
  throw new DriverError('permanent', message, { code: 'region-unknown' });
}
