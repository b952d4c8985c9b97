import {
  containerStream,
  nodeStream,
  type ContainerEvent,
  type ContainerState,
  type NodeEvent,
  type NodeState,
  type Work,
} from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';
import type { ServiceRuntime } from '@stave/service-kit';
import type { ClusterModels } from '../clusters/cluster-models.js';
import type { ResourcePlace } from './ring-queries.js';

const claimOf = (work: Work): object => (work.claim ? { claim: work.claim } : {});

/** Where the work of a cluster, node or container belongs, read from its stream when asked; undefined for what is not or not any more. */
export class ResourcePlaces {
  constructor(
    private readonly runtime: ServiceRuntime,
    private readonly models: ClusterModels,
  ) {}

  async of(id: string): Promise<ResourcePlace | undefined> {
    const { state: cluster } = await this.models.clusters.load(id);
    if (cluster.spec) return cluster.deleted ? undefined : this.inCluster(id, undefined, cluster.work);
    const node = await this.node(id);
    if (node.declared) return node.deleted ? undefined : this.ofNode(node, node.work);
    const container = await this.container(id);
    return container.declared && !container.deleted ? this.ofContainer(container) : undefined;
  }

  /** With its node; one that has none yet with its cluster. */
  private async ofContainer({ declared, nodeId, work }: ContainerState): Promise<ResourcePlace | undefined> {
    if (nodeId !== undefined) return this.ofNode(await this.node(nodeId), work);
    return this.inCluster(declared?.clusterId ?? '', undefined, work);
  }

  private ofNode({ declared }: NodeState, work: Work): ResourcePlace | undefined {
    return declared && this.inCluster(declared.clusterId, declared.nodeGroupId, work);
  }

  private async node(id: string): Promise<NodeState> {
    const events = await this.read(`node-${id}`);
    return events.reduce(
      (s, e) => nodeStream.evolve(s, { type: e.type, data: e.data } as NodeEvent, e.metadata.time),
      nodeStream.initial,
    );
  }

  private async container(id: string): Promise<ContainerState> {
    const events = await this.read(`container-${id}`);
    return events.reduce(
      (s, e) => containerStream.evolve(s, { type: e.type, data: e.data } as ContainerEvent, e.metadata.time),
      containerStream.initial,
    );
  }

  private read(stream: string): Promise<readonly RecordedEvent[]> {
    return this.runtime.events.readStream(stream);
  }

  private inCluster(clusterId: string, groupId: string | undefined, work: Work): ResourcePlace | undefined {
    const { spec, created } = this.models.clusters.get(clusterId) ?? {};
    if (!spec || !created) return undefined;
    const own = groupId === undefined ? null : this.models.conductorGroupOf(groupId);
    const { conductorGroup, driver, driverVersion: version } = spec;
    return { projectId: created.projectId, group: own ?? conductorGroup, driver, version, ...claimOf(work) };
  }
}
