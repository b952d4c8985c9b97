import {
  containerStream,
  nodeStream,
  omitUndefined,
  type ContainerState,
  type NodeState,
  type ResourceStream,
  type Work,
} from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import type { EventStore } from '@stave/platform';
import { EVENT_STORE, ResourceModel } from '@stave/service-kit';
import { ClusterProjection } from '../clusters/cluster.projection.js';

/** The conductors that work on a resource, and the current claim. */
export interface ResourcePlace {
  readonly projectId: string;
  readonly group: string;
  readonly driver: string;
  readonly version: string;
  readonly claim?: unknown;
}

/** Finds the conductors that work on a cluster, node or container from its stream; undefined for a resource that does not exist or is deleted. */
@Injectable()
export class ResourceRouting {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly projection: ClusterProjection,
  ) {}

  async of(id: string): Promise<ResourcePlace | undefined> {
    const { state: cluster } = await this.projection.clusters.load(id);
    if (cluster) return cluster.deleted ? undefined : this.inCluster(id, undefined, cluster.work);
    const node = await this.load(nodeStream, id);
    if (node) return node.deleted ? undefined : this.ofNode(node, node.work);
    const container = await this.load(containerStream, id);
    return container && !container.deleted ? this.ofContainer(container) : undefined;
  }

  /** A container belongs to the conductors of its node; without a node, to those of its cluster. */
  private async ofContainer({ declared, nodeId, work }: ContainerState): Promise<ResourcePlace | undefined> {
    if (nodeId === undefined) return this.inCluster(declared.clusterId, undefined, work);
    const node = await this.load(nodeStream, nodeId);
    return node && this.ofNode(node, work);
  }

  private ofNode({ declared }: NodeState, work: Work): ResourcePlace | undefined {
    return this.inCluster(declared.clusterId, declared.nodeGroupId, work);
  }

  /** Reads the current state from the stream of one resource. */
  private async load<S>(definition: ResourceStream<S>, id: string): Promise<S | undefined> {
    return (await new ResourceModel<S>(definition, this.store).load(id)).state;
  }

  private inCluster(clusterId: string, groupId: string | undefined, work: Work): ResourcePlace | undefined {
    const cluster = this.projection.clusters.get(clusterId);
    if (!cluster) return undefined;
    const own = groupId === undefined ? null : this.projection.conductorGroupOf(groupId);
    const { conductorGroup, driver, driverVersion: version } = cluster.spec;
    return {
      projectId: cluster.created.projectId,
      group: own ?? conductorGroup,
      driver,
      version,
      ...omitUndefined({ claim: work.claim }),
    };
  }
}
