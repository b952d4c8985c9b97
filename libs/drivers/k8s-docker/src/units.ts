import type { DriverContext, Unit } from '@stave/driver-sdk';
import { label, unitOf, type ClusterNetworks, type DockerEngine, type VolumeSummary } from '@stave/docker';
import type { KubernetesClusters } from './cluster-lifecycle.js';
import type { ControlPlaneClaim } from './control-plane-claim.js';
import { stateOf, type Inventory, type NodeContainer } from './inventory.js';
import type { NodeRemoval } from './node-removal.js';

const volumePrefix = 'volume:';

/** Lists and removes all objects with this installation's labels, for the orphan sweep and the health checks. */
export class Units {
  constructor(
    private readonly host: DockerEngine,
    private readonly networks: ClusterNetworks,
    private readonly inventory: Inventory,
    private readonly claim: ControlPlaneClaim,
    private readonly clusters: KubernetesClusters,
    private readonly removal: NodeRemoval,
  ) {}

  async list(ctx: DriverContext, clusterId?: string): Promise<readonly Unit[]> {
    const [clusters, nodes, claims, unusedVolumes] = await Promise.all([
      this.networks.all(ctx, clusterId),
      this.inventory.nodes(ctx, { clusterId }),
      this.claim.volumes(ctx, clusterId),
      this.removal.unusedVolumes(ctx, { clusterId }),
    ]);
    const existing = new Set(clusters.map(network => network.Labels[label.cluster]));
    const orphanClaims = claims.filter(volume => !existing.has(volume.Labels?.[label.cluster]));
    return [
      ...clusters.map(({ Id, Labels }): Unit => ({ ...unitOf('cluster', Id, Labels), state: 'running' })),
      ...orphanClaims.map(volume => volumeUnit('cluster', volume)),
      ...unusedVolumes.map(volume => volumeUnit('node', volume)),
      ...nodes.map(nodeUnit),
    ];
  }

  async remove(ctx: DriverContext, { kind, infrastructureId, resourceId, clusterId }: Unit): Promise<void> {
    if (infrastructureId.startsWith(volumePrefix))
      return this.host.removeVolume(ctx, infrastructureId.slice(volumePrefix.length));
    if (kind === 'cluster') return this.clusters.removeNetwork(ctx, clusterId, infrastructureId);
    if (kind !== 'node') return;
    const nodes = await this.inventory.nodes(ctx, { nodeId: resourceId });
    const node = nodes.find(one => one.containerId === infrastructureId);
    if (node) await this.removal.remove(ctx, node);
  }
}

/** Generation 0 belongs to no existing resource, so that the sweep removes what it names. */
function volumeUnit(kind: 'cluster' | 'node', { Name, Labels }: VolumeSummary): Unit {
  return { ...unitOf(kind, `${volumePrefix}${Name}`, Labels), generation: 0, state: 'failed' };
}

function nodeUnit({ containerId: infrastructureId, nodeId: resourceId, ...node }: NodeContainer): Unit {
  const { clusterId, generation, exitCode, state } = node;
  return { infrastructureId, kind: 'node', resourceId, clusterId, generation, exitCode, state: stateOf(state) };
}
