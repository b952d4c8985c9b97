import { DriverError, type DriverContext, type Unit } from '@stave/driver-sdk';
import {
  type ClusterNetworks,
  type DockerEngine,
  label,
  type NetworkSummary,
  undefinedOn,
  unitOf,
  type VolumeSummary,
} from '@stave/docker';
import type { SwarmClusters } from './cluster-lifecycle.js';
import type { ContainerNetworks } from './container-networks.js';
import type { ContainerVolumes } from './container-volumes.js';
import type { SwarmInitClaim } from './swarm-init-claim.js';
import { engineOf, stateOf, type Inventory, type NodeContainer } from './inventory.js';
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
    const [contents, states] = await Promise.all([
      Promise.all(nodes.map(node => inventory.containersOn(ctx, node))),
      Promise.all(nodes.map(node => stateOfNode(ctx, node))),
    ]);
    return [
      ...clusters.map(({ Id, Labels }): Unit => ({ ...unitOf('cluster', Id, Labels), state: 'running' })),
      ...orphanClaims.map(volume => volumeUnit('cluster', volume)),
      ...unusedVolumes.map(volume => volumeUnit('node', volume)),
      ...nodes.map((node, i) => nodeUnit(node, states[i] ?? 'failed', contents[i] === undefined)),
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

/** A machine that answers has its node as long as it is in the Swarm; one in whose place another engine answers has lost it. */
async function stateOfNode(ctx: DriverContext, node: NodeContainer): Promise<Unit['state']> {
  if (!node.machine) return stateOf(node.state);
  try {
    const { Swarm } = await engineOf(node).info(ctx, 3_000);
    return Swarm.LocalNodeState === 'inactive' ? 'failed' : 'running';
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
    return error.failure === 'transient' ? 'running' : 'failed';
  }
}

function nodeUnit(node: NodeContainer, state: Unit['state'], containersUnknown: boolean): Unit {
  const { containerId: infrastructureId, nodeId: resourceId, clusterId, generation, exitCode } = node;
  const unit = { infrastructureId, kind: 'node', resourceId, clusterId, generation, exitCode } as const;
  return { ...unit, state, ...(containersUnknown && { containersUnknown }) };
}
