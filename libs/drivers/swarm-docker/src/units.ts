import { DriverError, type DriverContext, type Unit } from '@stave/driver-sdk';
import { removeUnit } from './container-lifecycle.js';
import { EngineClient, withLabels } from './engine-client.js';
import type { ContainerSummary } from './engine-types.js';
import type { FounderClaim } from './founder-claim.js';
import { exitCodeOf, type Inventory, type NodeContainer } from './inventory.js';
import { generationOf, label } from './labels.js';
import type { ClusterNetworks } from './network.js';
import type { NodeRemoval } from './node-removal.js';
import type { RunDirectory } from './run-directory.js';

const askTimeoutMs = 3_000;
const volumePrefix = 'volume:';

export interface UnitParts {
  readonly networks: ClusterNetworks;
  readonly inventory: Inventory;
  readonly claim: FounderClaim;
  readonly removal: NodeRemoval;
  readonly runDirectory: RunDirectory;
  readonly installation: string;
}

/** All that carries this installation's labels, for the orphan sweep and for health. */
export class Units {
  constructor(private readonly parts: UnitParts) {}

  /** States are the host engine's. Containers of a node whose engine does not answer are missing, and a warning says so. */
  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const { networks, inventory, claim } = this.parts;
    const [clusters, nodes, claims] = await Promise.all([
      networks.all(ctx, clusterId),
      inventory.nodes(ctx, clusterId === undefined ? {} : { clusterId }),
      claim.volumes(ctx, clusterId),
    ]);
    const known = new Set(clusters.map(network => network.Labels[label.cluster]));
    const left = claims.filter(volume => !known.has(volume.Labels?.[label.cluster]));
    const inner = await Promise.all(
      nodes.filter(node => node.state === 'running').map(node => this.containersOn(ctx, node)),
    );
    return [
      ...clusters.map(network => clusterUnit(network.Id, network.Labels, 'running')),
      ...left.map(volume => clusterUnit(`${volumePrefix}${volume.Name}`, volume.Labels ?? {}, 'failed')),
      ...nodes.map(nodeUnit),
      ...inner.flat(),
    ];
  }

  async remove(ctx: DriverContext, unit: Unit): Promise<void> {
    if (unit.kind === 'node') return this.removeNode(ctx, unit);
    if (unit.kind === 'container') return this.removeContainer(ctx, unit);
    return this.removeCluster(ctx, unit);
  }

  private async removeNode(ctx: DriverContext, unit: Unit): Promise<void> {
    const nodes = await this.parts.inventory.nodes(ctx, { nodeId: unit.resourceId });
    const node = nodes.find(one => one.containerId === unit.infrastructureId);
    if (node) await this.parts.removal.remove(ctx, node);
  }

  private async removeCluster(ctx: DriverContext, unit: Unit): Promise<void> {
    const { networks, claim, runDirectory } = this.parts;
    if (unit.infrastructureId.startsWith(volumePrefix)) {
      return claim.removeVolume(ctx, unit.infrastructureId.slice(volumePrefix.length));
    }
    const present = await networks.ofCluster(ctx, unit.clusterId);
    const network = present.find(one => one.Id === unit.infrastructureId);
    if (!network) return;
    const [node] = await this.parts.inventory.nodes(ctx, { clusterId: unit.clusterId });
    if (node && present.length === 1)
      throw new DriverError('transient', `cluster ${unit.clusterId} still has node ${node.nodeId}`);
    await networks.remove(ctx, network.Id);
    if (present.length > 1) return;
    for (const volume of await claim.volumes(ctx, unit.clusterId)) await claim.removeVolume(ctx, volume.Name);
    await runDirectory.removeCluster(ctx, unit.clusterId);
  }

  private async removeContainer(ctx: DriverContext, unit: Unit): Promise<void> {
    for (const node of await this.parts.inventory.nodes(ctx, { clusterId: unit.clusterId })) {
      if (node.state !== 'running') continue;
      const found = (await this.containersOn(ctx, node)).some(one => one.infrastructureId === unit.infrastructureId);
      if (found) return removeUnit(ctx, new EngineClient(node.socket), unit.infrastructureId);
    }
  }

  private async containersOn(ctx: DriverContext, node: NodeContainer): Promise<readonly Unit[]> {
    const query = {
      all: true,
      ...withLabels({ [label.installation]: this.parts.installation, [label.unit]: 'container' }),
    };
    try {
      const engine = new EngineClient(node.socket);
      const found = await engine.read<ContainerSummary[]>(ctx, '/containers/json', { query, timeoutMs: askTimeoutMs });
      return found.map(containerUnit);
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      ctx.log.warn({ nodeId: node.nodeId, reason: error.message }, 'containers of a node are not listed');
      return [];
    }
  }
}

function clusterUnit(infrastructureId: string, labels: Readonly<Record<string, string>>, state: Unit['state']): Unit {
  const clusterId = labels[label.cluster] ?? '';
  return {
    infrastructureId,
    kind: 'cluster',
    resourceId: clusterId,
    clusterId,
    generation: generationOf(labels),
    state,
  };
}

function nodeUnit(node: NodeContainer): Unit {
  return {
    infrastructureId: node.containerId,
    kind: 'node',
    resourceId: node.nodeId,
    clusterId: node.clusterId,
    generation: node.generation,
    state: stateOf(node.state),
    ...(node.exitCode !== undefined && { exitCode: node.exitCode }),
  };
}

function containerUnit(container: ContainerSummary): Unit {
  const exitCode = exitCodeOf(container);
  return {
    infrastructureId: container.Id,
    kind: 'container',
    resourceId: container.Labels[label.container] ?? '',
    clusterId: container.Labels[label.cluster] ?? '',
    generation: generationOf(container.Labels),
    state: stateOf(container.State),
    ...(exitCode !== undefined && { exitCode }),
  };
}

function stateOf(state: string): Unit['state'] {
  if (state === 'running') return 'running';
  if (state === 'created') return 'creating';
  return state === 'exited' || state === 'paused' ? 'stopped' : 'failed';
}
