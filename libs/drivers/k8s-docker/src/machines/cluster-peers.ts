import { undefinedOnFailure, type ClusterNetworks } from '@stave/docker';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { ControlPlanes } from '../control-planes.js';
import type { Inventory, NodeContainer } from '../inventory.js';
import type { Placed } from '../node-machine.js';
import { appliedPath, overlayScript, peersOf, withOverlay } from './overlay.js';
import type { Peer, Peers } from './peers.js';

const applyWithinMs = 30_000;
/** How long a cluster in which nothing changed is taken to be as it was seen: another conductor may have written what was right before. */
const trustedMs = 300_000;
const message = 'a node does not know the present nodes of its cluster yet';

/**
 * Keeps what the nodes on machines know of each other. The records of the nodes decide; whoever changes them writes to all nodes that run, and
 * reads them again: so of two changes at the same time, what both result in is written last.
 */
export class ClusterPeers {
  /** The clusters whose nodes know everything: the nodes that they are, and until when that is taken to be so. */
  private readonly complete = new Map<string, { readonly nodes: string; readonly untilMs: number }>();

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
      this.complete.delete(clusterId);
      const nodes = await this.inventory.nodes(ctx, { clusterId });
      const seen = JSON.stringify(nodes.map(({ containerId }) => containerId).sort());
      if (seen === before) return;
      await this.write(ctx, nodes);
      before = seen;
    }
  }

  /**
   * Lets nodes know what they missed, in clusters whose nodes changed or did not answer since the last time. `all`: the nodes of all clusters. Never
   * fails because of a node.
   */
  async repair(ctx: DriverContext, all: readonly NodeContainer[]): Promise<void> {
    const clusters = new Map<string, NodeContainer[]>();
    for (const node of all) {
      if (!node.machine) continue;
      const others = clusters.get(node.clusterId);
      if (others) others.push(node);
      else clusters.set(node.clusterId, [node]);
    }
    for (const id of this.complete.keys()) if (!clusters.has(id)) this.complete.delete(id);
    await Promise.all([...clusters].map(([id, nodes]) => this.repairCluster(ctx, id, nodes)));
  }

  private async repairCluster(ctx: DriverContext, id: string, nodes: readonly NodeContainer[]): Promise<void> {
    const now = JSON.stringify(nodes.map(({ containerId, state, address }) => [containerId, state, address]));
    const known = this.complete.get(id);
    if (known?.nodes === now && ctx.now() < known.untilMs) return;
    this.complete.delete(id);
    if (await this.write(ctx, nodes)) this.complete.set(id, { nodes: now, untilMs: ctx.now() + trustedMs });
  }

  /** Returns whether all running nodes know everything, and all running control planes are members. */
  private async write(ctx: DriverContext, nodes: readonly NodeContainer[]): Promise<boolean> {
    const ready = await this.ready(ctx, nodes);
    const running = nodes.filter(node => node.machine && node.state === 'running');
    const written = await Promise.all(
      running.map(node => {
        const peers = { nodes: peersIn(nodes), controlPlanes: apiOf(node, ready) };
        return undefinedOnFailure(ctx, () => this.writeTo(ctx, node, peers), { nodeId: node.nodeId, message });
      }),
    );
    return written.every(Boolean) && running.every(node => node.role !== 'manager' || ready.includes(node));
  }

  private async writeTo(ctx: DriverContext, node: NodeContainer, peers: Peers): Promise<true> {
    const file = peersOf(node, peers);
    const machine = this.controlPlanes.machineOf(node);
    if ((await machine.read(ctx, appliedPath)) === file.content) return true;
    await machine.configure(ctx, { files: [file], units: [] });
    const code = await machine.run(ctx, [overlayScript], applyWithinMs);
    if (code !== 0) throw new DriverError('transient', `${overlayScript} ended with ${code}`);
    return true;
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
