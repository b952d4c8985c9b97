import { DriverError, type ClusterSpec, type DriverContext } from '@stave/driver-sdk';
import { subnetFor } from './address-pools.js';
import { withLabels, type Caller, type EngineClient } from './engine-client.js';
import { EngineError, hasStatus, undefinedOn, undefinedOnFailure } from './engine-error.js';
import type { ConnectedNetwork, NetworkSummary } from './engine-types.js';
import { generationOf, labelled, ofDriver, unitName } from './labels.js';

const triesForSubnet = 64;

/** The container of a node, and its address in the network of its cluster. Nodes on machines have none there. */
export interface ConnectableNode {
  readonly containerId: string;
  readonly nodeId: string;
  readonly address: string;
  readonly state: string;
  readonly machine?: unknown;
}

/** Manages the networks of clusters: a bridge with its own subnet on the host's engine, which is the unit of the cluster. */
export class ClusterNetworks {
  /** `driver`: whose clusters they are. */
  constructor(
    private readonly host: EngineClient,
    private readonly installation: string,
    private readonly driver: string,
  ) {}

  /** Returns the networks of all generations: the highest generation first, and within a generation the oldest first. */
  async ofCluster(caller: Caller, clusterId: string): Promise<readonly NetworkSummary[]> {
    const byAge = (a: NetworkSummary, b: NetworkSummary) =>
      a.Created.localeCompare(b.Created) || a.Id.localeCompare(b.Id);
    const networks = await this.all(caller, clusterId);
    return networks.sort((a, b) => generationOf(b.Labels) - generationOf(a.Labels) || byAge(a, b));
  }

  async all(caller: Caller, clusterId?: string): Promise<NetworkSummary[]> {
    const wanted = labelled({ installation: this.installation, unit: 'cluster', cluster: clusterId });
    const query = withLabels(wanted);
    return ofDriver(this.driver, await this.host.read<NetworkSummary[]>(caller, '/networks', { query }));
  }

  /**
   * Returns the network of this generation, and creates it when it does not exist. The engine accepts two networks of the same name: of
   * concurrent creates, all keep the oldest network and remove the others.
   */
  async ensure(ctx: DriverContext, spec: ClusterSpec): Promise<NetworkSummary> {
    const ownGeneration = async () =>
      (await this.ofCluster(ctx, spec.id)).filter(network => generationOf(network.Labels) === spec.generation);
    if ((await ownGeneration()).length === 0) await this.create(ctx, spec);
    const [kept, ...duplicates] = await ownGeneration();
    if (!kept) throw new DriverError('transient', `the network of cluster ${spec.id} was removed during its creation`);
    for (const duplicate of duplicates) await this.remove(ctx, duplicate.Id);
    return kept;
  }

  private async create(ctx: DriverContext, spec: ClusterSpec): Promise<void> {
    const cidr = spec.network.cidr;
    for (let attempt = 0; attempt < (cidr === undefined ? triesForSubnet : 1); attempt += 1) {
      if (await this.tryCreate(ctx, spec, cidr ?? subnetFor(spec.id, attempt))) return;
    }
    if (cidr === undefined)
      throw new DriverError('capacity', `no free subnet was found for cluster ${spec.id}: set its network.cidr`);
    const network = `network ${cidr} of cluster ${spec.id}`;
    throw new DriverError('conflict', `${network} overlaps another network of this engine: choose another one`);
  }

  /** Returns false when the subnet overlaps another network. Succeeds when an earlier attempt created a network of that name (409). */
  private async tryCreate(ctx: DriverContext, spec: ClusterSpec, subnet: string): Promise<boolean> {
    const { installation, driver } = this;
    const body = {
      Name: unitName(installation, spec.id, spec.generation),
      CheckDuplicate: true,
      Driver: 'bridge',
      IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
      Labels: labelled({ installation, driver, unit: 'cluster', cluster: spec.id, generation: spec.generation }),
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

  /**
   * Connects running containers of nodes that lost their network, each with the address that it had. One whose address is not free or not of this
   * subnet stays as it is, with a warning: a rebuild gives its node another one.
   */
  async reconnect(ctx: DriverContext, { Id }: NetworkSummary, nodes: readonly ConnectableNode[]): Promise<void> {
    const candidates = nodes.filter(({ state, machine }) => state === 'running' && machine === undefined);
    if (candidates.length === 0) return;
    const { Containers } = await this.host.read<ConnectedNetwork>(ctx, `/networks/${Id}`);
    for (const { containerId: Container, nodeId, address: IPv4Address } of candidates) {
      if (Containers[Container]) continue;
      const body = { Container, EndpointConfig: { IPAMConfig: { IPv4Address } } };
      const connect = () => this.host.change(ctx, 'POST', `/networks/${Id}/connect`, { body });
      await undefinedOnFailure(ctx, connect, { nodeId, message: 'a node could not be connected to its network' });
    }
  }

  /** Removes a network by its engine id; succeeds when it does not exist. Throws `transient` while it has nodes. */
  async remove(ctx: DriverContext, networkId: string): Promise<void> {
    try {
      await undefinedOn([404], this.host.change(ctx, 'DELETE', `/networks/${networkId}`));
    } catch (cause) {
      if (!hasStatus(cause, 403, 409)) throw cause;
      const message = 'the cluster network cannot be removed, because it still has nodes';
      throw new DriverError('transient', message, { cause });
    }
  }
}
