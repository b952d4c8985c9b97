import { Module, type DynamicModule } from '@nestjs/common';
import { PolicyProjection, ResourceRegistry } from '@stave/service-kit';
import { PoliciesModule } from '../policies/policies.module.js';
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
      inject: [SchedulerProjection, PolicyProjection, ResourceRegistry],
      useFactory: (projection: SchedulerProjection, policies: PolicyProjection, registry: ResourceRegistry) => {
        const clusters = new ClusterReconciler(projection, policies);
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
    return { module: PlacementModule, imports: [SchedulingModule, PoliciesModule], providers: [reconciler] };
  }
}
