import { Injectable } from '@nestjs/common';
import { planCluster, sizeOfClusterPlan, type ClusterState, type PlanStep } from '@stave/domain';
import type { Outlook, PlannedEffect } from '@stave/service-kit';
import { ProjectQuotas } from '../quotas/project-quotas.js';
import { ClusterContainers } from './cluster-containers.js';
import { ClusterProjection } from './cluster.projection.js';

/** What one cluster takes of the quotas of its project. */
export const ONE_CLUSTER = { clusters: 1 };

/** What plans show of clusters. */
@Injectable()
export class ClusterPlans {
  constructor(
    private readonly projection: ClusterProjection,
    private readonly containers: ClusterContainers,
    private readonly quotas: ProjectQuotas,
  ) {}

  parts(effect: PlannedEffect<ClusterState>): Iterable<readonly PlanStep[]> {
    return planCluster(effect, this.contentsOf(effect.after));
  }

  size(effect: PlannedEffect<ClusterState>): number {
    return sizeOfClusterPlan(effect, this.contentsOf(effect.after));
  }

  /** Shows what a creation takes of the limited quotas of the project. */
  outlook({ before, after: { created } }: PlannedEffect<ClusterState>): Outlook | undefined {
    return before === undefined ? this.quotas.outlook(created.projectId, ONE_CLUSTER) : undefined;
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
