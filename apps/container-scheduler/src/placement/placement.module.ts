import { Module, type DynamicModule } from '@nestjs/common';
import { ResourceRegistry } from '@stave/service-kit';
import { AttachmentsModule } from '../attachments/attachments.module.js';
import { ContainerAttachments } from '../attachments/container-attachments.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { SchedulingModule } from '../scheduling/scheduling.module.js';
import { ClusterSnapshots } from './cluster-snapshots.js';
import { ClusterReconciler } from './cluster.reconciler.js';
import { NodeClosingController } from './node-closing.controller.js';
import { PlacementRequests } from './placement-requests.js';
import { SnapshotsModule } from './snapshots.module.js';

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
      inject: [SchedulerProjection, ResourceRegistry, ContainerAttachments, PlacementRequests, ClusterSnapshots],
      useFactory: (
        projection: SchedulerProjection,
        registry: ResourceRegistry,
        attachments: ContainerAttachments,
        requests: PlacementRequests,
        snapshots: ClusterSnapshots,
      ) => {
        const clusters = new ClusterReconciler(projection, { attachments, requests, snapshots });
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
    const imports = [SchedulingModule, AttachmentsModule, SnapshotsModule];
    return { module: PlacementModule, imports, providers: [reconciler], controllers: [NodeClosingController] };
  }
}
