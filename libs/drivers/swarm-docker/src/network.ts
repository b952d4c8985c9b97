import { createHash } from 'node:crypto';
import { DriverError, type ClusterSpec, type DriverContext } from '@stave/driver-sdk';
import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { EngineError, hasStatus, unless } from './engine-error.js';
import type { NetworkSummary } from './engine-types.js';
import { clusterLabels, generationOf, label, unitName } from './labels.js';

/** Networks of 1021 addresses out of 10.80.0.0/12, unless a cluster asks for its own; a bridge carries no more than 1023 ports. */
const subnets = 1024;
const triesForSubnet = 64;

/** The network of a cluster: a bridge on the host's engine with its own subnet. It is the cluster's one shared unit. */
export class ClusterNetworks {
  constructor(
    private readonly host: EngineClient,
    private readonly installation: string,
  ) {}

  /** All generations, highest first, and of the same generation the one made first. */
  async ofCluster(caller: Caller, clusterId: string): Promise<readonly NetworkSummary[]> {
    const networks = await this.all(caller, clusterId);
    const byAge = (a: NetworkSummary, b: NetworkSummary) =>
      a.Created.localeCompare(b.Created) || a.Id.localeCompare(b.Id);
    return [...networks].sort((a, b) => generationOf(b.Labels) - generationOf(a.Labels) || byAge(a, b));
  }

  /** Of one cluster, or of the installation. */
  async all(caller: Caller, clusterId?: string): Promise<readonly NetworkSummary[]> {
    const wanted = { [label.installation]: this.installation, [label.unit]: 'cluster', [label.cluster]: clusterId };
    return this.host.read<NetworkSummary[]>(caller, '/networks', { query: withLabels(wanted) });
  }

  /**
   * The one network of this generation, made where there is none. Two creators at once may both succeed, as the engine does not
   * hold network names against each other: both then keep the older one.
   */
  async ensure(ctx: DriverContext, spec: ClusterSpec): Promise<NetworkSummary> {
    const ownGeneration = async () =>
      (await this.ofCluster(ctx, spec.id)).filter(network => generationOf(network.Labels) === spec.generation);
    if ((await ownGeneration()).length === 0) await this.create(ctx, spec);
    const [kept, ...doubles] = await ownGeneration();
    if (!kept) throw new DriverError('transient', `the network of cluster ${spec.id} was removed while it was created`);
    for (const double of doubles) await this.remove(ctx, double.Id);
    return kept;
  }

  private async create(ctx: DriverContext, spec: ClusterSpec): Promise<void> {
    const cidr = spec.network.cidr;
    for (let attempt = 0; attempt < (cidr === undefined ? triesForSubnet : 1); attempt += 1) {
      if (await this.tryCreate(ctx, spec, cidr ?? subnetFor(spec.id, attempt))) return;
    }
    throw cidr === undefined
      ? new DriverError('capacity', `no free subnet for cluster ${spec.id}`)
      : new DriverError('conflict', `network ${cidr} of cluster ${spec.id} overlaps another network of this engine`);
  }

  /** False when the subnet overlaps another network. A name that is taken is our own from another attempt. */
  private async tryCreate(ctx: DriverContext, spec: ClusterSpec, subnet: string): Promise<boolean> {
    const name = unitName(this.installation, spec.id, spec.generation);
    const body = {
      Name: name,
      CheckDuplicate: true,
      Driver: 'bridge',
      IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
      Labels: clusterLabels(this.installation, spec),
    };
    try {
      await this.host.change(ctx, 'POST', '/networks/create', { body });
      return true;
    } catch (error) {
      if (hasStatus(error, 409)) return true;
      if (error instanceof EngineError && /overlaps|no available network|invalid pool/i.test(error.message))
        return false;
      throw error;
    }
  }

  /** By the engine's own id; what is gone is success. */
  async remove(ctx: DriverContext, networkId: string): Promise<void> {
    try {
      await unless([404], this.host.change(ctx, 'DELETE', `/networks/${networkId}`));
    } catch (error) {
      if (!hasStatus(error, 403, 409)) throw error;
      throw new DriverError('transient', 'the cluster network still has nodes on it', { cause: error });
    }
  }
}

function subnetFor(clusterId: string, attempt: number): string {
  const start = createHash('sha256').update(clusterId).digest().readUInt16BE(0);
  const index = (start + attempt * 7) % subnets;
  return `10.${80 + Math.floor(index / 64)}.${(index % 64) * 4}.0/22`;
}
