import { Module, type DynamicModule } from '@nestjs/common';
import { PolicyProjection, ResourceRegistry } from '@stave/service-kit';
import { PoliciesModule } from '../policies/policies.module.js';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ContainerAttachments } from '../attachments/container-attachments.js';
import { ClusterDrivers } from '../scheduling/cluster-drivers.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ClusterReconciler } from './cluster.reconciler.js';

export interface PlacementOptions {
  /** Milliseconds until a failed reconciliation of a cluster is repeated; default 500. */
  readonly retryMs?: number;
}

const CONCURRENCY = 8;

/** Places containers on the nodes of their clusters, and evicts them from nodes that leave. */
@Module({})
export class PlacementModule {
  static forRoot({ retryMs }: PlacementOptions): DynamicModule {
    const reconciler = {
      provide: ClusterReconciler,
      inject: [SchedulerProjection, PolicyProjection, ResourceRegistry, ContainerAttachments, ClusterDrivers],
      useFactory: (
        projection: SchedulerProjection,
        policies: PolicyProjection,
        registry: ResourceRegistry,
        attachments: ContainerAttachments,
        drivers: ClusterDrivers,
      ) => {
        const clusters = new ClusterReconciler(projection, { attachments, drivers }, policies);
        registry.reconcile('cluster', projection.clusters, {
          reconcile: id => clusters.reconcile(id),
          concurrency: CONCURRENCY,
          parts: id => projection.containersByCluster.sizeOf(id) + projection.nodesByCluster.sizeOf(id),
          isUnsettled: (id, state) => !state.deleted && clusters.isUnsettled(id, state),
          ...(retryMs === undefined ? {} : { retryMs }),
        });
        return clusters;
      },
    };
    const imports = [SchedulingModule, AttachmentsModule, PoliciesModule];
    return { module: PlacementModule, imports, providers: [reconciler] };
  }
}
