import {
  containerStream,
  nodeStream,
  type ContainerEvent,
  type ContainerState,
  type NodeEvent,
  type NodeState,
  type Work,
} from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import type { EventStore, RecordedEvent } from '@stave/platform';
import { EVENT_STORE } from '@stave/service-kit';
import { ClusterProjection } from '../clusters/cluster.projection.js';

/** Which conductors do a resource's work, and the claim on it. */
export interface ResourcePlace {
  readonly projectId: string;
  readonly group: string;
  readonly driver: string;
  readonly version: string;
  readonly claim?: unknown;
}

const claimOf = (work: Work): object => (work.claim ? { claim: work.claim } : {});

/** Where the work of a cluster, node or container belongs, read from its stream when asked; undefined for what is not or not any more. */
@Injectable()
export class ResourceRouting {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly projection: ClusterProjection,
  ) {}

  async of(id: string): Promise<ResourcePlace | undefined> {
    const { state: cluster } = await this.projection.clusters.load(id);
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
    return this.store.readStream(stream);
  }

  private inCluster(clusterId: string, groupId: string | undefined, work: Work): ResourcePlace | undefined {
    const { spec, created } = this.projection.clusters.get(clusterId) ?? {};
    if (!spec || !created) return undefined;
    const own = groupId === undefined ? null : this.projection.conductorGroupOf(groupId);
    const { conductorGroup, driver, driverVersion: version } = spec;
    return { projectId: created.projectId, group: own ?? conductorGroup, driver, version, ...claimOf(work) };
  }
}
