import type { DriverContext, Unit } from '@stave/driver-sdk';
import type { SwarmClusters } from './cluster-lifecycle.js';
import type { DockerEngine } from './docker-engine.js';
import type { ContainerNetworks } from './container-networks.js';
import type { ContainerVolumes } from './container-volumes.js';
import { undefinedOn } from './engine-error.js';
import type { NetworkSummary, VolumeSummary } from './engine-types.js';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import { engineOf, stateOf, type Inventory, type NodeContainer } from './inventory.js';
import { label, unitOf } from './labels.js';
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
  readonly containerNetworks: ContainerNetworks;
  readonly volumes: ContainerVolumes;
}

/** Lists and removes all objects with this installation's labels, for the orphan sweep and the health checks. */
export class Units {
  constructor(private readonly parts: UnitParts) {}

  /** Lists all units. The containers of a node whose engine does not answer are missing; the unit of the node states that. */
  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const { networks, inventory, claim, nodeVolumes } = this.parts;
    const [clusters, nodes, claims, unusedVolumes] = await Promise.all([
      networks.all(ctx, clusterId),
      inventory.nodes(ctx, { clusterId }),
      claim.volumes(ctx, clusterId),
      nodeVolumes.unused(ctx, { clusterId }),
    ]);
    const existing = new Set(clusters.map(network => network.Labels[label.cluster]));
    const orphanClaims = claims.filter(volume => !existing.has(volume.Labels?.[label.cluster]));
    const contents = await Promise.all(nodes.map(node => inventory.containersOn(ctx, node)));
    return [
      ...clusters.map(({ Id, Labels }): Unit => ({ ...unitOf('cluster', Id, Labels), state: 'running' })),
      ...orphanClaims.map(volume => volumeUnit('cluster', volume)),
      ...unusedVolumes.map(volume => volumeUnit('node', volume)),
      ...nodes.map((node, i) => nodeUnit(node, contents[i] === undefined)),
      ...onceEach(contents.flatMap(found => found ?? [])),
    ];
  }

  private async removeNetwork(ctx: DriverContext, engine: DockerEngine, clusterId: string, id: string): Promise<void> {
    const network = await undefinedOn([404], engine.read<NetworkSummary>(ctx, `/networks/${id}`));
    if (network) await this.parts.containerNetworks.remove(ctx, engine, clusterId, network);
  }

  async remove(ctx: DriverContext, { kind, infrastructureId, resourceId, clusterId }: Unit): Promise<void> {
    const { host, inventory, clusters, removal, volumes } = this.parts;
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
      if (!found) continue;
      const engine = engineOf(node);
      if (kind === 'container') return engine.removeContainer(ctx, infrastructureId);
      if (kind === 'volume') await volumes.removeFrom(ctx, engine, infrastructureId);
      else await this.removeNetwork(ctx, engine, clusterId, infrastructureId);
    }
  }
}

/** What all nodes share, each of them lists. */
function onceEach(units: readonly Unit[]): readonly Unit[] {
  return [...new Map(units.map(unit => [unit.infrastructureId, unit])).values()];
}

/**
 * Returns the unit of a volume whose cluster or container was removed. Its generation is 0, so that it belongs to no existing node: the health
 * check reports the node as missing, and the sweep removes the volume as soon as the node is rebuilt.
 */
function volumeUnit(kind: 'cluster' | 'node', { Name, Labels }: VolumeSummary): Unit {
  return { ...unitOf(kind, `${volumePrefix}${Name}`, Labels), generation: 0, state: 'failed' };
}

function nodeUnit(node: NodeContainer, containersUnknown: boolean): Unit {
  const { containerId: infrastructureId, nodeId: resourceId, clusterId, generation, exitCode } = node;
  const unit = { infrastructureId, kind: 'node', resourceId, clusterId, generation, exitCode } as const;
  return { ...unit, state: stateOf(node.state), ...(containersUnknown && { containersUnknown }) };
}
