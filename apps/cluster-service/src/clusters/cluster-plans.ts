import { Injectable } from '@nestjs/common';
import { planCluster, sizeOfClusterPlan, type ClusterState, type PlanStep } from '@stave/domain';
import type { PlannedEffect } from '@stave/service-kit';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterProjection } from './cluster.projection.js';

/** What plans show of clusters. */
@Injectable()
export class ClusterPlans {
  constructor(
    private readonly projection: ClusterProjection,
    private readonly containers: ClusterContainers,
  ) {}

  parts(effect: PlannedEffect<ClusterState>): Iterable<readonly PlanStep[]> {
    return planCluster(effect, this.contentsOf(effect.after));
  }

  size(effect: PlannedEffect<ClusterState>): number {
    return sizeOfClusterPlan(effect, this.contentsOf(effect.after));
  }

  private contentsOf({ created: { id } }: ClusterState) {
    const containers = this.containers.in(id);
    const { suspectedContainers } = this.projection;
    return {
      groups: this.projection.groupStates(id),
      containers,
      missing: containers.filter(container => suspectedContainers.includes(container.id)),
    };
  }
}
