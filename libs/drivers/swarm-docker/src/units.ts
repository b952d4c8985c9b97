import type { DriverContext, Unit } from '@stave/driver-sdk';
import type { SwarmClusters } from './cluster-lifecycle.js';
import type { DockerEngine } from './docker-engine.js';
import type { VolumeSummary } from './engine-types.js';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import { engineOf, stateOf, type Inventory, type NodeContainer } from './inventory.js';
import { generationOf, label } from './labels.js';
import type { ClusterNetworks } from './network.js';
import type { NodeRemoval } from './node-removal.js';
import type { NodeVolumes } from './node-volumes.js';

const volumePrefix = 'volume:';

interface UnitParts {
  readonly host: DockerEngine;
  readonly networks: ClusterNetworks;
  readonly inventory: Inventory;
  readonly claim: SwarmInitClaim;
  readonly clusters: SwarmClusters;
  readonly removal: NodeRemoval;
  readonly nodeVolumes: NodeVolumes;
}

/** Lists and removes all objects with this installation's labels, for the orphan sweep and the health checks. */
export class Units {
  constructor(private readonly parts: UnitParts) {}

  /** Lists all units. Containers of a node whose engine does not answer are missing; the unit of the node reports that. */
  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const { networks, inventory, claim, nodeVolumes } = this.parts;
    const [clusters, nodes, claims, residue] = await Promise.all([
      networks.all(ctx, clusterId),
      inventory.nodes(ctx, { clusterId }),
      claim.volumes(ctx, clusterId),
      nodeVolumes.left(ctx, { clusterId }),
    ]);
    const known = new Set(clusters.map(network => network.Labels[label.cluster]));
    const left = claims.filter(volume => !known.has(volume.Labels?.[label.cluster]));
    const contents = await Promise.all(nodes.map(node => inventory.containersOn(ctx, node)));
    return [
      ...clusters.map(network => clusterUnit(network.Id, network.Labels, 'running')),
      ...left.map(volume => clusterUnit(`${volumePrefix}${volume.Name}`, volume.Labels ?? {}, 'failed')),
      ...residue.map(residueUnit),
      ...nodes.map((node, i) => nodeUnit(node, contents[i] === undefined)),
      ...contents.flatMap(found => found ?? []),
    ];
  }

  async remove(ctx: DriverContext, { kind, infrastructureId, resourceId, clusterId }: Unit): Promise<void> {
    const { host, inventory, clusters, removal } = this.parts;
    if (infrastructureId.startsWith(volumePrefix))
      return host.removeVolume(ctx, infrastructureId.slice(volumePrefix.length));
    if (kind === 'cluster') return clusters.removeNetwork(ctx, clusterId, infrastructureId);
    if (kind === 'node') {
      const nodes = await inventory.nodes(ctx, { nodeId: resourceId });
      const node = nodes.find(one => one.containerId === infrastructureId);
      return node && removal.remove(ctx, node);
    }
    for (const node of await inventory.nodes(ctx, { clusterId })) {
      const found = (await inventory.containersOn(ctx, node))?.some(one => one.infrastructureId === infrastructureId);
      if (found) return engineOf(node).removeContainer(ctx, infrastructureId);
    }
  }
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
  const { containerId: infrastructureId, nodeId: resourceId, clusterId, generation, exitCode } = node;
  const unit = { infrastructureId, kind: 'node', resourceId, clusterId, generation, exitCode } as const;
  return { ...unit, state: stateOf(node.state), ...(containersUnknown && { containersUnknown }) };
}
