import type { DriverContext, Unit } from '@stave/driver-sdk';
import { label, unitOf, type ClusterNetworks, type DockerEngine, type VolumeSummary } from '@stave/docker';
import type { KubernetesClusters } from './cluster-lifecycle.js';
import type { ContainerUnits } from './container-units.js';
import type { ControlPlaneClaim } from './control-plane-claim.js';
import { stateOf, type Inventory, type NodeContainer } from './inventory.js';
import type { NodeRemoval } from './node-removal.js';

const volumePrefix = 'volume:';

interface UnitParts {
  readonly host: DockerEngine;
  readonly networks: ClusterNetworks;
  readonly inventory: Inventory;
  readonly claim: ControlPlaneClaim;
  readonly clusters: KubernetesClusters;
  readonly removal: NodeRemoval;
  readonly containers: ContainerUnits;
}

/** Lists and removes all objects with this installation's labels, for the orphan sweep and the health checks. */
export class Units {
  constructor(private readonly parts: UnitParts) {}

  /** Lists all units. The containers of a cluster that was never read and does not answer are missing; the units of its nodes state that. */
  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const [clusters, nodes, claims, unusedVolumes] = await Promise.all([
      this.parts.networks.all(ctx, clusterId),
      this.parts.inventory.nodes(ctx, { clusterId }),
      this.parts.claim.volumes(ctx, clusterId),
      this.parts.removal.unusedVolumes(ctx, { clusterId }),
    ]);
    const existing = new Set(clusters.map(network => network.Labels[label.cluster]));
    const containers = await this.parts.containers.list(ctx, nodes);
    if (clusterId === undefined) this.parts.containers.keepOnly(new Set(nodes.map(node => node.clusterId)));
    const orphanClaims = claims.filter(volume => !existing.has(volume.Labels?.[label.cluster]));
    return [
      ...clusters.map(({ Id, Labels }): Unit => ({ ...unitOf('cluster', Id, Labels), state: 'running' })),
      ...orphanClaims.map(volume => volumeUnit('cluster', volume)),
      ...unusedVolumes.map(volume => volumeUnit('node', volume)),
      ...nodes.map(node => nodeUnit(node, containers.unknown.has(node.clusterId))),
      ...containers.units,
    ];
  }

  async remove(ctx: DriverContext, unit: Unit): Promise<void> {
    const { kind, infrastructureId, resourceId, clusterId } = unit;
    if (infrastructureId.startsWith(volumePrefix))
      return this.parts.host.removeVolume(ctx, infrastructureId.slice(volumePrefix.length));
    if (kind === 'cluster') return this.parts.clusters.removeNetwork(ctx, clusterId, infrastructureId);
    if (kind === 'container') return this.parts.containers.remove(ctx, unit);
    if (kind !== 'node') return;
    const nodes = await this.parts.inventory.nodes(ctx, { nodeId: resourceId });
    const node = nodes.find(one => one.containerId === infrastructureId);
    if (node) await this.parts.removal.remove(ctx, node);
  }
}

/** Generation 0 belongs to no existing resource, so that the sweep removes what it names. */
function volumeUnit(kind: 'cluster' | 'node', { Name, Labels }: VolumeSummary): Unit {
  return { ...unitOf(kind, `${volumePrefix}${Name}`, Labels), generation: 0, state: 'failed' };
}

function nodeUnit(node: NodeContainer, containersUnknown: boolean): Unit {
  const { containerId: infrastructureId, nodeId: resourceId, clusterId, generation, exitCode } = node;
  const unit = { infrastructureId, kind: 'node', resourceId, clusterId, generation, exitCode } as const;
  const unknown = containersUnknown || node.state === 'unreachable';
  return { ...unit, state: stateOf(node.state), ...(unknown && { containersUnknown: unknown }) };
}
