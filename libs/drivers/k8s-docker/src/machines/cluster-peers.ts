import { undefinedOnFailure, type ClusterNetworks } from '@stave/docker';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { ControlPlanes } from '../control-planes.js';
import type { Inventory, NodeContainer } from '../inventory.js';
import type { Placed } from '../node-machine.js';
import { appliedPath, overlayScript, peersOf, withOverlay } from './overlay.js';
import type { Peer, Peers } from './peers.js';

const applyWithinMs = 30_000;
const message = 'a node does not know the present nodes of its cluster yet';

/**
 * Keeps what the nodes on machines know of each other. The records of the nodes decide; whoever changes them writes to all nodes that run, and
 * reads them again: so of two changes at the same time, what both result in is written last.
 */
export class ClusterPeers {
  constructor(
    private readonly networks: ClusterNetworks,
    private readonly inventory: Inventory,
    private readonly controlPlanes: ControlPlanes,
  ) {}

  /** Returns the configuration of a node that never ran, with its place among the nodes of its cluster. */
  async withOverlay(ctx: DriverContext, node: NodeContainer, configuration: Placed): Promise<Placed> {
    const { clusterId, address } = node;
    const [network] = await this.networks.ofCluster(ctx, clusterId);
    const subnet = network?.IPAM.Config?.[0]?.Subnet;
    if (subnet === undefined) throw new DriverError('notFound', `the network of cluster ${clusterId} does not exist`);
    const nodes = await this.inventory.nodes(ctx, { clusterId });
    const peers = { nodes: peersIn(nodes), controlPlanes: apiOf(node, await this.ready(ctx, nodes)) };
    return withOverlay(configuration, { clusterId, address, subnet }, peers);
  }

  /** Lets all nodes of a cluster that run know the others. Those that do not answer now are left to `repair`. */
  async spread(ctx: DriverContext, clusterId: string): Promise<void> {
    for (let before = ''; ;) {
      const nodes = await this.inventory.nodes(ctx, { clusterId });
      const seen = JSON.stringify(nodes.map(({ containerId }) => containerId).sort());
      if (seen === before) return;
      await this.write(ctx, nodes);
      before = seen;
    }
  }

  /** Lets nodes know what they missed. `all`: the nodes of all clusters. Never fails because of a node. */
  async repair(ctx: DriverContext, all: readonly NodeContainer[]): Promise<void> {
    const onMachines = all.filter(node => node.machine);
    const clusters = new Set(onMachines.map(({ clusterId }) => clusterId));
    const write = (id: string): Promise<void> =>
      this.write(
        ctx,
        onMachines.filter(node => node.clusterId === id),
      );
    await Promise.all([...clusters].map(write));
  }

  private async write(ctx: DriverContext, nodes: readonly NodeContainer[]): Promise<void> {
    const ready = await this.ready(ctx, nodes);
    const running = nodes.filter(node => node.machine && node.state === 'running');
    await Promise.all(
      running.map(node => {
        const peers = { nodes: peersIn(nodes), controlPlanes: apiOf(node, ready) };
        return undefinedOnFailure(ctx, () => this.writeTo(ctx, node, peers), { nodeId: node.nodeId, message });
      }),
    );
  }

  private async writeTo(ctx: DriverContext, node: NodeContainer, peers: Peers): Promise<void> {
    const file = peersOf(node, peers);
    const machine = this.controlPlanes.machineOf(node);
    if ((await machine.read(ctx, appliedPath)) === file.content) return;
    await machine.configure(ctx, { files: [file], units: [] });
    const code = await machine.run(ctx, [overlayScript], applyWithinMs);
    if (code !== 0) throw new DriverError('transient', `${overlayScript} ended with ${code}`);
  }

  /** Returns the control planes that are members of their cluster; those that may be, where none answers. */
  private async ready(ctx: DriverContext, nodes: readonly NodeContainer[]): Promise<readonly NodeContainer[]> {
    const planes = nodes.filter(({ role }) => role === 'manager');
    const outcomes = await Promise.all(
      planes.map(async plane => {
        if (plane.state !== 'running') return undefined;
        return undefinedOnFailure(ctx, () => this.controlPlanes.outcomeOf(ctx, plane));
      }),
    );
    const ready = planes.filter((_, at) => outcomes[at] === 'ready');
    return ready.length > 0 ? ready : planes.filter(({ state }) => state === 'unreachable');
  }
}

const peersIn = (nodes: readonly NodeContainer[]): readonly Peer[] =>
  nodes.map(({ address, publicAddress: machineAddress }) => ({ address, machineAddress }));

/** The first control plane asks itself while it makes the cluster. */
function apiOf({ role, address }: NodeContainer, ready: readonly NodeContainer[]): readonly string[] {
  if (ready.length > 0) return ready.map(plane => plane.address);
  return role === 'manager' ? [address] : [];
}
