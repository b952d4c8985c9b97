import type { DriverContext, EngineReservation, NodeMonitor, NodeUsage } from '@stave/driver-sdk';
import { undefinedOnFailure } from '@stave/docker';
import { containerNamespace } from './container-objects.js';
import type { ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { ClusterPeers } from './machines/cluster-peers.js';
import type { KubernetesApi } from '@stave/kubernetes';
import { reservations, type PlacedPod } from './pod-requests.js';

const atATime = 16;
const nothing: EngineReservation = { cpus: 0, memoryMb: 0, daemons: { cpus: 0, memoryMb: 0 } };
// members cannot place pods in the namespace of Stave's containers, so that none is left out by its label
const foreign = `metadata.namespace!=${containerNamespace},status.phase!=Succeeded,status.phase!=Failed`;

/** Reports the utilisation of node containers as the engine measures it, which includes all pods, and what Kubernetes holds on them for its own pods. What nodes on machines did not learn of each other, they learn here. */
export class HostMonitor implements NodeMonitor {
  constructor(
    private readonly inventory: Inventory,
    private readonly controlPlanes: ControlPlanes,
    private readonly peers: ClusterPeers,
  ) {}

  async usage(ctx: DriverContext): Promise<readonly NodeUsage[]> {
    const all = await this.inventory.nodes(ctx, {});
    const nodes = all.filter(node => node.state === 'running');
    const clusters = new Set(nodes.map(({ clusterId }) => clusterId));
    const [used, known] = await Promise.all([
      this.measured(ctx, nodes),
      this.reservedIn(ctx, clusters),
      this.peers.repair(ctx, all),
    ]);
    const byId = new Map(nodes.map(node => [node.nodeId, known.get(node.clusterId)?.(node.member)]));
    return used.map(usage => {
      const held = byId.get(usage.nodeId);
      return held ? { ...usage, reserved: held } : usage;
    });
  }

  private async measured(ctx: DriverContext, nodes: readonly NodeContainer[]): Promise<readonly NodeUsage[]> {
    const used: NodeUsage[] = [];
    for (let at = 0; at < nodes.length; at += atATime) {
      const some = await Promise.all(nodes.slice(at, at + atATime).map(node => this.usageOf(ctx, node)));
      used.push(...some.flatMap(usage => usage ?? []));
    }
    return used;
  }

  /** Returns what is known of each cluster: nothing of those that do not answer. */
  private async reservedIn(
    ctx: DriverContext,
    clusters: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, (member: string) => EngineReservation>> {
    const found = await Promise.all(
      [...clusters].map(async id => {
        const held = await undefinedOnFailure(ctx, async () => {
          const controlPlane = await this.controlPlanes.find(ctx, id);
          return controlPlane && reservations(await foreignPods(ctx, controlPlane.api));
        });
        return { id, held };
      }),
    );
    return new Map(
      found.flatMap(({ id, held }) => (held ? [[id, (member: string) => held.get(member) ?? nothing] as const] : [])),
    );
  }

  /** Returns undefined when the node stopped after it was listed, or when the engine does not answer within 10 s. */
  private async usageOf(
    ctx: DriverContext,
    { engine, containerId, nodeId }: NodeContainer,
  ): Promise<NodeUsage | undefined> {
    const used = await undefinedOnFailure(ctx, () => engine.stats(ctx, containerId, 10_000));
    return used && { nodeId, cpuCores: used.cpuCores, memoryMb: used.memoryMb };
  }
}

/** Returns the pods that have not ended and are not containers of Stave. */
async function foreignPods(ctx: DriverContext, api: KubernetesApi): Promise<readonly PlacedPod[]> {
  const query = { fieldSelector: foreign, resourceVersion: 0 };
  return (await api.read<{ readonly items: readonly PlacedPod[] | null }>(ctx, '/api/v1/pods', { query })).items ?? [];
}
