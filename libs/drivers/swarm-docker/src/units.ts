import { DriverError, type DriverContext, type Unit } from '@stave/driver-sdk';
import { removeUnit } from './container-lifecycle.js';
import { EngineClient } from './engine-client.js';
import type { VolumeSummary } from './engine-types.js';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import type { Inventory, NodeContainer } from './inventory.js';
import { generationOf, label } from './labels.js';
import type { ClusterNetworks } from './network.js';
import { containersOnNode } from './containers-on-node.js';
import type { NodeRemoval } from './node-removal.js';
import type { NodeVolumes } from './node-volumes.js';
import type { RunDirectory } from './run-directory.js';
import { stateOf } from './unit-state.js';

const volumePrefix = 'volume:';

interface UnitParts {
  readonly networks: ClusterNetworks;
  readonly inventory: Inventory;
  readonly claim: SwarmInitClaim;
  readonly removal: NodeRemoval;
  readonly nodeVolumes: NodeVolumes;
  readonly runDirectory: RunDirectory;
  readonly installation: string;
}

/** Lists and removes all objects with this installation's labels, for the orphan sweep and the health checks. */
export class Units {
  constructor(private readonly parts: UnitParts) {}

  /** Lists all units. Containers of a node whose engine does not answer are missing; the unit of the node reports that. */
  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const { networks, inventory, claim, nodeVolumes } = this.parts;
    const filter = clusterId === undefined ? {} : { clusterId };
    const [clusters, nodes, claims, residue] = await Promise.all([
      networks.all(ctx, clusterId),
      inventory.nodes(ctx, filter),
      claim.volumes(ctx, clusterId),
      nodeVolumes.left(ctx, filter),
    ]);
    const known = new Set(clusters.map(network => network.Labels[label.cluster]));
    const left = claims.filter(volume => !known.has(volume.Labels?.[label.cluster]));
    const contents = await Promise.all(nodes.map(node => this.containersOn(ctx, node)));
    return [
      ...clusters.map(network => clusterUnit(network.Id, network.Labels, 'running')),
      ...left.map(volume => clusterUnit(`${volumePrefix}${volume.Name}`, volume.Labels ?? {}, 'failed')),
      ...residue.map(residueUnit),
      ...nodes.map((node, i) => nodeUnit(node, contents[i] === undefined)),
      ...contents.flatMap(found => found ?? []),
    ];
  }

  async remove(ctx: DriverContext, unit: Unit): Promise<void> {
    if (unit.kind === 'node') return this.removeNode(ctx, unit);
    if (unit.kind === 'container') return this.removeContainer(ctx, unit);
    return this.removeCluster(ctx, unit);
  }

  private async removeNode(ctx: DriverContext, unit: Unit): Promise<void> {
    const volume = volumeOf(unit);
    if (volume !== undefined) return this.parts.nodeVolumes.remove(ctx, volume);
    const nodes = await this.parts.inventory.nodes(ctx, { nodeId: unit.resourceId });
    const node = nodes.find(one => one.containerId === unit.infrastructureId);
    if (node) await this.parts.removal.remove(ctx, node);
  }

  private async removeCluster(ctx: DriverContext, unit: Unit): Promise<void> {
    const { networks, claim, nodeVolumes, runDirectory } = this.parts;
    const claimed = volumeOf(unit);
    if (claimed !== undefined) return claim.removeVolume(ctx, claimed);
    const present = await networks.ofCluster(ctx, unit.clusterId);
    const network = present.find(one => one.Id === unit.infrastructureId);
    if (!network) return;
    const [node] = await this.parts.inventory.nodes(ctx, { clusterId: unit.clusterId });
    if (node && present.length === 1)
      throw new DriverError('transient', `cluster ${unit.clusterId} still has node ${node.nodeId}`);
    await networks.remove(ctx, network.Id);
    if (present.length > 1) return;
    for (const volume of await claim.volumes(ctx, unit.clusterId)) await claim.removeVolume(ctx, volume.Name);
    await nodeVolumes.removeLeftOf(ctx, unit.clusterId);
    await runDirectory.removeCluster(ctx, unit.clusterId);
  }

  private async removeContainer(ctx: DriverContext, unit: Unit): Promise<void> {
    for (const node of await this.parts.inventory.nodes(ctx, { clusterId: unit.clusterId })) {
      const found = (await this.containersOn(ctx, node))?.some(one => one.infrastructureId === unit.infrastructureId);
      if (found) return removeUnit(ctx, new EngineClient(node.socket), unit.infrastructureId);
    }
  }

  private async containersOn(ctx: DriverContext, node: NodeContainer): Promise<readonly Unit[] | undefined> {
    return node.state === 'running' ? containersOnNode(ctx, node, this.parts.installation) : [];
  }
}

/** Returns the name of a volume that is listed as a unit; undefined for other units. */
function volumeOf({ infrastructureId }: Unit): string | undefined {
  return infrastructureId.startsWith(volumePrefix) ? infrastructureId.slice(volumePrefix.length) : undefined;
}

/**
 * Lists the volume of a removed container with generation 0, which belongs to no existing node: the health check reports the node as missing,
 * and the sweep removes the volume as soon as the node is rebuilt.
 */
function residueUnit(volume: VolumeSummary): Unit {
  return {
    infrastructureId: `${volumePrefix}${volume.Name}`,
    kind: 'node',
    resourceId: volume.Labels?.[label.node] ?? '',
    clusterId: volume.Labels?.[label.cluster] ?? '',
    generation: 0,
    state: 'failed',
  };
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

function nodeUnit(node: NodeContainer, containersUnknown: boolean): Unit {
  return {
    infrastructureId: node.containerId,
    kind: 'node',
    resourceId: node.nodeId,
    clusterId: node.clusterId,
    generation: node.generation,
    state: stateOf(node.state),
    ...(node.exitCode !== undefined && { exitCode: node.exitCode }),
    ...(containersUnknown && { containersUnknown }),
  };
}
